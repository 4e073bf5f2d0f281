import { readVersioning } from "./maven-metadata.ts";
import type { Repository } from "./repository.ts";
import { childrenOf, childText } from "./xml-tree.ts";

/** Lets the files of snapshots be found under the names of their newest builds, as servers have them. */
export function withSnapshots(repository: Repository): Repository {
  const builds = new Map<string, Promise<ReadonlyMap<string, string>>>();
  const buildsIn = (folder: string) => {
    const known = builds.get(folder) ?? readBuilds(repository, folder);
    builds.set(folder, known);
    return known;
  };
  const placeOf = async (path: string): Promise<string> => {
    const [, folder = "", version = "", file = ""] = /^(.*\/([^/]+-SNAPSHOT))\/([^/]+)$/.exec(path) ?? [];
    if (folder === "") return path;
    for (const [suffix, build] of await buildsIn(folder))
      if (file.endsWith(`-${version}${suffix}`))
        return `${folder}/${file.slice(0, -`${version}${suffix}`.length)}${build}${suffix}`;
    return path;
  };
  return {
    ...repository,
    read: async (path) => await repository.read(await placeOf(path)),
    has: async (path) => await repository.has(await placeOf(path)),
    download: async (path, into) => await repository.download(await placeOf(path), into),
  };
}

/** The version of the newest build by what follows it in the file's name: `.jar`, `-tests.jar`. */
async function readBuilds(repository: Repository, folder: string): Promise<ReadonlyMap<string, string>> {
  const versioning = await readVersioning(repository, `${folder}/maven-metadata.xml`);
  if (versioning === undefined) return new Map();
  return new Map(
    childrenOf(versioning, "snapshotVersions", "snapshotVersion").map((one) => {
      const classifier = childText(one, "classifier");
      const suffix = classifier === undefined ? "" : `-${classifier}`;
      return [`${suffix}.${childText(one, "extension") ?? "jar"}`, childText(one, "value") ?? ""] as const;
    }),
  );
}
