import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { sources } from "./sources.ts";

const code = sources().filter(({ isTest }) => !isTest);

function importersOf(path: string): readonly string[] {
  return code.filter(({ imports }) => imports.some((one) => one.path === path)).map((source) => source.path);
}

describe("the plan", () => {
  test("alone parses volumes, custom resources and secret keys", () => {
    expect(importersOf("src/conf/parse-volume-specs.ts")).toEqual(["src/plan/volumes.ts"]);
    const parsers = ["volumes", "driver-resources", "executor-resources", "secret-key-refs", "dependencies"];
    for (const name of parsers) {
      const others = importersOf(`src/plan/${name}.ts`).filter((path) => !path.startsWith("src/plan/"));
      expect(others, name).toEqual([]);
    }
  });

  test("has no subdirectory that imports its parent", () => {
    const below = code.filter(({ path }) => /^src\/plan\/.+\//.test(path));
    const back = below.flatMap(({ path, imports }) =>
      imports.filter((one) => one.path !== undefined && posix.dirname(one.path) === "src/plan").map(() => path),
    );
    expect(back).toEqual([]);
  });
});
