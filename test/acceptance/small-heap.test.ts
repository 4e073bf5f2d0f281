import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

function youngGenerationMiB(...limit: readonly string[]): number {
  const args = ["scripts/run-ts.mjs", "test/acceptance/allocating-program.ts", ...limit];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

test("the young generation of a program with a small heap stops growing", () => {
  const unlimited = youngGenerationMiB();
  expect(unlimited).toBeGreaterThan(8);
  expect(youngGenerationMiB("4")).toBeLessThanOrEqual(8);
});
