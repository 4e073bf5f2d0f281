import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

function newSpaceMiB(...limit: readonly string[]): number {
  const args = ["scripts/run-ts.mjs", "test/acceptance/allocating-program.ts", ...limit];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

test("the space for new objects of a program with a small heap stops growing", () => {
  const unlimited = newSpaceMiB();
  expect(unlimited).toBeGreaterThan(8);
  expect(newSpaceMiB("4")).toBeLessThanOrEqual(8);
});
