import { childrenOf, childText } from "../values/xml.ts";
import { readVersioning } from "./maven-metadata.ts";
import type { Repository } from "./repository.ts";

/** Maps snapshot files to their newest builds, whose names servers use. */
export function withSnapshots(repository: Repository): Repository {
  const builds = new Map<string, Promise<ReadonlyMap<string, string>>>();
  const buildsIn = (directory: string) => {
    const known = builds.get(directory) ?? readBuilds(repository, directory);
    builds.set(directory, known);
    return known;
  };
  const pathOf = async (path: string): Promise<string> => {
    const [, directory = "", version = "", file = ""] = /^(.*\/([^/]+-SNAPSHOT))\/([^/]+)$/.exec(path) ?? [];
    if (directory === "") return path;
    for (const [suffix, build] of await buildsIn(directory))
      if (file.endsWith(`-${version}${suffix}`))
        return `${directory}/${file.slice(0, -`${version}${suffix}`.length)}${build}${suffix}`;
    return path;
  };
  return {
    ...repository,
    read: async (path) => await repository.read(await pathOf(path)),
    has: async (path) => await repository.has(await pathOf(path)),
    download: async (path, into) => await repository.download(await pathOf(path), into),
  };
}

/** Returns the version of the newest build by the rest of the file's name: `.jar`, `-tests.jar`. */
async function readBuilds(repository: Repository, directory: string): Promise<ReadonlyMap<string, string>> {
  const versioning = await readVersioning(repository, `${directory}/maven-metadata.xml`);
  if (versioning === undefined) return new Map();
  return new Map(
    childrenOf(versioning, "snapshotVersions", "snapshotVersion").map((one) => {
      const classifier = childText(one, "classifier");
      const suffix = classifier === undefined ? "" : `-${classifier}`;
      return [`${suffix}.${childText(one, "extension") ?? "jar"}`, childText(one, "value") ?? ""] as const;
    }),
  );
}
