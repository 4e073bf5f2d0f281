import type { Host } from "../host/host.ts";
import { directoryRepository } from "./directory-repository.ts";
import type { Repository } from "./repository.ts";

/**
 * Opens Ivy's cache of Maven repositories: `cache/GROUP/ARTIFACT/ivy-VERSION.xml.original` is the POM, and jars are
 * in directories named by type.
 */
export function ivyCacheRepository(host: Host, directory: string): Repository {
  const files = directoryRepository(host, "ivy-cache", directory);
  const pathOf = (path: string): string => {
    const parts = path.split("/");
    const [file = "", version = "", artifact = ""] = parts.toReversed();
    const module = `${parts.slice(0, -3).join(".")}/${artifact}`;
    if (file === `${artifact}-${version}.pom`) return `${module}/ivy-${version}.xml.original`;
    const types = host.files.list(`${directory}/${module}`)?.filter((name) => name.endsWith("s")) ?? [];
    const type = types.find((name) => host.files.info(`${directory}/${module}/${name}/${file}`) !== undefined);
    return `${module}/${type ?? "jars"}/${file}`;
  };
  return {
    ...files,
    read: (path) => files.read(pathOf(path)),
    has: (path) => files.has(pathOf(path)),
    download: (path, into) => files.download(pathOf(path), into),
    // The cache does not have all versions.
    list: async () => [],
  };
}
