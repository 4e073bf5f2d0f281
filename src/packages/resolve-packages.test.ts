import { describe, expect, test } from "vitest";
import { orThrow } from "../errors/submit-error.ts";
import { testHost } from "../host/test-host.ts";
import { folderRepository } from "./folder-repository.ts";
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
    [folderRepository(host, "central", "/m2")],
  );
  return resolution.ok
    ? resolution.jars.map(({ module, artifact }) =>
        retrievedName(module, artifact).replace(/^g_|\.jar$/g, ""),
      )
    : resolution.problems;
}

describe("the jars that packages need", () => {
  test("are what they need to be compiled and to run, but not what is optional, provided or for tests", async () => {
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

  test("are the newest of each module that is needed from far", async () => {
    const modules = ["x:1 -> a:1, b:1", "a:1 -> f:1", "b:1 -> f:2", "f:1", "f:2"];
    expect(await resolve(modules, "g:x:1")).toEqual(["x-1", "a-1", "b-1", "f-2"]);
  });

  test("are of the version that a module wants itself, whatever those below it want", async () => {
    const modules = ["x:1 -> f:1, b:1", "b:1 -> f:2", "f:1", "f:2"];
    expect(await resolve(modules, "g:x:1")).toEqual(["x-1", "f-1", "b-1"]);
    expect(await resolve(["x:1 -> managed f:1, b:1", ...modules.slice(1)], "g:x:1")).toEqual([
      "x-1",
      "b-1",
      "f-1",
    ]);
  });

  test("lack what is excluded: by the user, by a module on all ways to it, and Scala's library always", async () => {
    const modules = ["x:1 -> a:1 -g:f, scala-library:1", "a:1 -> f:1, h:1", "f:1", "h:1", "scala-library:1"];
    expect(await resolve(modules, "g:x:1")).toEqual(["x-1", "a-1", "h-1"]);
    expect(await resolve(modules, "g:x:1,g:a:1", "g:h")).toEqual(["x-1", "a-1", "f-1"]);
  });

  test("are not there where a module is not found, and all such are told in Ivy's words", async () => {
    expect(await resolve(["x:1 -> a:1, b:1"], "g:x:1,g:y:1")).toEqual([
      "unresolved dependency: g#y;1: not found",
      "unresolved dependency: g#a;1: not found",
      "unresolved dependency: g#b;1: not found",
    ]);
  });
});
