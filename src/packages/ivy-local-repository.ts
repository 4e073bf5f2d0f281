import type { Host } from "../host/host.ts";
import { folderRepository } from "./folder-repository.ts";
import type { Repository } from "./repository.ts";

/**
 * What `sbt publishLocal` lays down: `local/GROUP/ARTIFACT/VERSION/poms/ARTIFACT.pom`, and jars in folders named for their types.
 *
 * Ivy reads the `ivy.xml` that lies there, too, and says the same as the POM.
 */
export function ivyLocalRepository(host: Host, folder: string): Repository {
  const files = folderRepository(host, "local-ivy-cache", folder);
  const placeOf = (path: string): string => {
    const parts = path.split("/");
    const [file = "", version = "", artifact = ""] = parts.toReversed();
    const revision = `${parts.slice(0, -3).join(".")}/${artifact}/${version}`;
    const name = file.replace(`-${version}`, "");
    const types = host.files.list(`${folder}/${revision}`) ?? [];
    const type = types.find((one) => host.files.info(`${folder}/${revision}/${one}/${name}`) !== undefined);
    return `${revision}/${type ?? "jars"}/${name}`;
  };
  return {
    ...files,
    read: (path) => files.read(placeOf(path)),
    has: (path) => files.has(placeOf(path)),
    download: (path, into) => files.download(placeOf(path), into),
    list: (path) => {
      const parts = path.split("/");
      return files.list(`${parts.slice(0, -1).join(".")}/${parts.at(-1)}`);
    },
  };
}
