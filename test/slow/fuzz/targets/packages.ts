import { testHost } from "../../../../src/host/test-host.ts";
import { parseIvySettings } from "../../../../src/packages/ivy-settings.ts";
import { compareVersions, isDynamic, newestIn } from "../../../../src/packages/ivy-version.ts";
import { readLock } from "../../../../src/packages/lock-file.ts";
import { readMavenSettings } from "../../../../src/packages/maven-settings.ts";
import { parseCoordinates, parseExclusions } from "../../../../src/packages/parse-coordinates.ts";
import { PomProblem } from "../../../../src/packages/pom/pom.ts";
import type { Repository } from "../../../../src/packages/repository.ts";
import { resolvePackages } from "../../../../src/packages/resolve-packages.ts";
import { type FuzzTarget, isOneOf } from "../target.ts";

/** Maven repositories and their settings. */
export const packageTargets: readonly FuzzTarget[] = [
  {
    name: "coordinates",
    run(input) {
      parseCoordinates(input.toString());
      parseExclusions(input.toString());
    },
  },
  {
    name: "versions",
    run(input) {
      const [set = "", ...versions] = input.toString().split("\n");
      if (isDynamic(set)) newestIn(set, versions);
      for (const version of versions.slice(0, 10)) compareVersions(set, version);
    },
  },
  { name: "pom", run: (input) => resolve(["g:a:1"], () => input) },
  {
    name: "maven-metadata",
    isExpected: isOneOf(PomProblem),
    run: (input) => resolve(["g:a:[1,2)", "g:b:1-SNAPSHOT"], (path) => (path.endsWith(".xml") ? input : undefined)),
  },
  {
    name: "ivy-settings",
    run: (input) => parseIvySettings({ path: "/ivy.xml", text: input.toString(), env: { A: "b" }, home: "/home" }),
  },
  {
    name: "maven-settings",
    run: (input) => readMavenSettings(testHost({ files: { "/home/tester/.m2/settings.xml": input } })),
  },
  {
    name: "package-lock",
    run: (input) =>
      readLock(testHost({ files: { "/lock": input } }), "/lock", { packages: [], excludes: [], transitive: true }),
  },
];

/** Resolves packages in a repository. */
async function resolve(texts: readonly string[], read: (path: string) => Buffer | undefined): Promise<void> {
  const repository: Repository = {
    name: "fuzz",
    read: async (path) => read(path),
    has: async () => true,
    download: async () => true,
    list: async () => ["1", "1.5"],
  };
  const coordinates = texts.map((text) => {
    const [group = "", artifact = "", version = ""] = text.split(":");
    return { group, artifact, version };
  });
  await resolvePackages({ coordinates, exclusions: [] }, [repository]);
}
