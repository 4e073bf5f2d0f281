import type { Host } from "../host/host.ts";
import { folderRepository } from "./folder-repository.ts";
import type { Repository } from "./repository.ts";

/**
 * What Ivy keeps of Maven repositories: `cache/GROUP/ARTIFACT/ivy-VERSION.xml.original` is the POM, and jars are in folders named
 * for their types.
 */
export function ivyCacheRepository(host: Host, folder: string): Repository {
  const files = folderRepository(host, "ivy-cache", folder);
  const placeOf = (path: string): string => {
    const parts = path.split("/");
    const [file = "", version = "", artifact = ""] = parts.toReversed();
    const module = `${parts.slice(0, -3).join(".")}/${artifact}`;
    if (file === `${artifact}-${version}.pom`) return `${module}/ivy-${version}.xml.original`;
    const types = host.files.list(`${folder}/${module}`)?.filter((name) => name.endsWith("s")) ?? [];
    const type = types.find((name) => host.files.info(`${folder}/${module}/${name}/${file}`) !== undefined);
    return `${module}/${type ?? "jars"}/${file}`;
  };
  return {
    ...files,
    read: (path) => files.read(placeOf(path)),
    has: (path) => files.has(placeOf(path)),
    download: (path, into) => files.download(placeOf(path), into),
    // What was fetched once says nothing of what there is.
    list: async () => [],
  };
}
