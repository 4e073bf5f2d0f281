import { describe, expect, test } from "vitest";
import { orThrow } from "../errors/submit-error.ts";
import { testHost } from "../host/test-host.ts";
import { directoryRepository } from "./directory-repository.ts";
import { retrievedName } from "./m2-path.ts";
import { parseCoordinates, parseExclusions } from "./parse-coordinates.ts";
import { resolvePackages } from "./resolve-packages.ts";
import { modulesFrom } from "./test-modules.ts";

/** Names of jars without group and ending, e.g. `a-1`. */
async function resolve(modules: readonly string[], coordinates: string, exclusions = "") {
  const host = testHost({ files: modulesFrom("/m2", modules) });
  const resolution = await resolvePackages(
    {
      coordinates: orThrow(parseCoordinates(coordinates)),
      exclusions: orThrow(parseExclusions(exclusions)),
    },
    [directoryRepository(host, "central", "/m2")],
  );
  return resolution.ok
    ? resolution.jars.map(({ module, artifact }) => retrievedName(module, artifact).replace(/^g_|\.jar$/g, ""))
    : resolution.problems;
}

describe("the jars that packages need", () => {
  test("are compile and runtime dependencies, not optional, provided or test ones", async () => {
    const modules = [
      "x:1 -> a:1, b:1 runtime, c:1 provided, d:1 test, e:1 optional",
      "a:1",
      "b:1",
      "c:1",
      "d:1",
      "e:1",
    ];
    expect(await resolve(modules, "g:x:1")).toEqual(["x-1", "a-1", "b-1"]);
  });

  test("are the newest of each transitive module", async () => {
    const modules = ["x:1 -> a:1, b:1", "a:1 -> f:1", "b:1 -> f:2", "f:1", "f:2"];
    expect(await resolve(modules, "g:x:1")).toEqual(["x-1", "a-1", "b-1", "f-2"]);
  });

  test("have the version of a module's own declaration, not of its dependencies", async () => {
    const modules = ["x:1 -> f:1, b:1", "b:1 -> f:2", "f:1", "f:2"];
    expect(await resolve(modules, "g:x:1")).toEqual(["x-1", "f-1", "b-1"]);
    expect(await resolve(["x:1 -> managed f:1, b:1", ...modules.slice(1)], "g:x:1")).toEqual(["x-1", "b-1", "f-1"]);
  });

  test("exclude modules of the user, of all paths to them, and always Scala's library", async () => {
    const modules = ["x:1 -> a:1 -g:f, scala-library:1", "a:1 -> f:1, h:1", "f:1", "h:1", "scala-library:1"];
    expect(await resolve(modules, "g:x:1")).toEqual(["x-1", "a-1", "h-1"]);
    expect(await resolve(modules, "g:x:1,g:a:1", "g:h")).toEqual(["x-1", "a-1", "f-1"]);
  });

  test("are rejected if modules are missing, with all of them in Ivy's wording", async () => {
    expect(await resolve(["x:1 -> a:1, b:1"], "g:x:1,g:y:1")).toEqual([
      "unresolved dependency: g#a;1: not found",
      "unresolved dependency: g#b;1: not found",
      "unresolved dependency: g#y;1: not found",
    ]);
  });

  test("are described by the first valid POM", async () => {
    const files = { ...modulesFrom("/m2", ["x:1 -> a:1", "a:1"]), "/broken/g/x/1/x-1.pom": "<html/>" };
    const host = testHost({ files });
    const directories = ["/broken", "/m2"].map((directory) => directoryRepository(host, directory, directory));
    const request = { coordinates: orThrow(parseCoordinates("g:x:1")), exclusions: [] };
    expect(await resolvePackages(request, directories)).toMatchObject({ ok: true, jars: [{}, {}] });
    expect(await resolvePackages(request, directories.slice(0, 1))).toEqual({
      ok: false,
      problems: ["unresolved dependency: g#x;1: its POM has the root element html instead of project"],
    });
  });

  test.each([
    {
      rule: "a range of one version is that version",
      modules: ["x:1 -> a:[1]", "a:1"],
      jars: ["x-1", "a-1"],
    },
    {
      rule: "of two revisions in one POM the newer counts, unless the user asks for that POM",
      modules: ["x:1 -> a:1", "a:1 -> b:1", "b:1 -> f:2, f:1", "f:1", "f:2"],
      jars: ["x-1", "a-1", "b-1", "f-2"],
    },
    {
      rule: "what gives way may be missing",
      modules: ["x:1 -> a:1, b:1", "a:1 -> f:2", "b:1 -> f:1", "f:2"],
      jars: ["x-1", "a-1", "b-1", "f-2"],
    },
    {
      rule: "what is missing is missed, although the one that needs it gives way later",
      modules: ["x:1 -> f:1", "y:1 -> a:1", "a:1 -> x:2", "x:2"],
      coordinates: "g:x:1,g:y:1",
      jars: ["unresolved dependency: g#f;1: not found"],
    },
    {
      rule: "files of a revision that gave way do not stand for those of the other",
      modules: ["x:1 -> f:2, a:1", "a:1 -> f:1 =tests", "f:1", "f:2"],
      jars: ["x-1", "f-2", "a-1"],
    },
    {
      rule: "who needs a revision that gave way does not lift an exclusion",
      modules: ["x:1 -> f:1 -g:h, a:1", "a:1 -> f:2", "f:1 -> h:1", "f:2", "h:1"],
      jars: ["x-1", "f-1", "a-1"],
    },
    {
      rule: "what is needed to run gives way to what is needed to compile, further down",
      modules: ["x:1 -> a:1", "a:1 -> b:1", "b:1 -> f:1 runtime, c:1", "c:1 -> f:2", "f:1", "f:2"],
      jars: ["x-1", "a-1", "b-1", "c-1", "f-2"],
    },
    {
      rule: "what is managed again loses its scope",
      modules: ["x:1 -> managed f:1 test, managed f:2, f", "f:1", "f:2"],
      jars: ["x-1", "f-2"],
    },
    {
      rule: "a module below itself leads nowhere, whatever its revision",
      modules: ["x:1 -> a:1", "a:1 -> x:2, b:1", "x:2 -> c:1", "b:1", "c:1"],
      jars: ["x-2", "c-1"],
    },
    {
      rule: "a range is one with the revision that it was found to be",
      modules: ["x:1 -> a:latest.release, f:1", "a:2 -> f:2", "f:1", "f:2"],
      coordinates: "g:x:1,g:f:2",
      jars: ["x-1", "a-2", "f-1"],
    },
    {
      rule: "a missing version is reported in Ivy's wording",
      modules: ["x:1 -> a", "a:1"],
      jars: ["unresolved dependency: g#a;working@vm: not found"],
    },
  ])("$rule", async ({ modules, coordinates = "g:x:1", jars }) => {
    expect(await resolve(modules, coordinates)).toEqual(jars);
  });
});
