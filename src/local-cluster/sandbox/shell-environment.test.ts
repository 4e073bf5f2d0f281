import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeEnvironment, restoreEnvironment } from "./shell-environment.ts";

test("leaves names alone that a shell passes on", () => {
  const env = { PATH: "/bin", _a1: "x" };
  expect(encodeEnvironment(env)).toEqual(env);
  expect(restoreEnvironment(env)).toEqual([]);
});

test("restores names with dots, hyphens and quotes behind a shell", () => {
  const name = fc.string({ minLength: 1, maxLength: 8, unit: "grapheme-ascii" }).filter((text) => !text.includes("="));
  const env = fc.dictionary(name, fc.string({ maxLength: 8, unit: "grapheme-ascii" }), { maxKeys: 3 });
  fc.assert(
    fc.property(env, (more) => {
      const variables = { PATH: "/usr/bin:/bin", "db.password": "a b", "x-y": '"$HOME"', ...more };
      const encodedEnv = encodeEnvironment(variables);
      const args = ["-c", 'exec "$@"', "sh", ...restoreEnvironment(encodedEnv), "env", "-0"];
      const printed = execFileSync("/bin/sh", args, { env: encodedEnv, encoding: "utf8" }).split("\0").slice(0, -1);
      const known = new Set(Object.keys(variables));
      const found = printed.map(
        (line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const,
      );
      expect(Object.fromEntries(found.filter(([key]) => known.has(key)))).toEqual(variables);
      expect(found.some(([key]) => key.startsWith("FIRESTEEL_"))).toBe(false);
    }),
    { numRuns: 20 },
  );
});
