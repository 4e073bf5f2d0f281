import type { Host } from "../host/host.ts";
import { directoryRepository } from "./directory-repository.ts";
import type { Repository } from "./repository.ts";

/**
 * Opens the output of `sbt publishLocal`: `local/GROUP/ARTIFACT/VERSION/poms/ARTIFACT.pom`, and jars in directories
 * named by type.
 *
 * Ivy also reads the `ivy.xml` in the same directory, whose content is the same as the POM's.
 */
export function ivyLocalRepository(host: Host, directory: string): Repository {
  const files = directoryRepository(host, "local-ivy-cache", directory);
  const pathOf = (path: string): string => {
    const parts = path.split("/");
    const [file = "", version = "", artifact = ""] = parts.toReversed();
    const revision = `${parts.slice(0, -3).join(".")}/${artifact}/${version}`;
    const name = file.replace(`-${version}`, "");
    const types = host.files.list(`${directory}/${revision}`) ?? [];
    const type = types.find((one) => host.files.info(`${directory}/${revision}/${one}/${name}`) !== undefined);
    return `${revision}/${type ?? "jars"}/${name}`;
  };
  return {
    ...files,
    read: (path) => files.read(pathOf(path)),
    has: (path) => files.has(pathOf(path)),
    download: (path, into) => files.download(pathOf(path), into),
    list: (path) => {
      const parts = path.split("/");
      return files.list(`${parts.slice(0, -1).join(".")}/${parts.at(-1)}`);
    },
  };
}
