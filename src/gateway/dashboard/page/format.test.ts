import { expect, test } from "vitest";
import { countOf, formatDuration, formatMemory } from "./format.ts";

test.each([
  [-5, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [200_000, "3 min 20 s"],
  [7_500_000, "2 h 5 min"],
  [273_600_000, "3 d 4 h"],
])("prints %d ms as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [512, "512 MiB"],
  [1536, "1.5 GiB"],
  [2_097_152, "2 TiB"],
])("prints %d MiB as %s", (mib, text) => {
  expect(formatMemory(mib)).toBe(text);
});

test("counts", () => {
  expect([countOf(1, "executor"), countOf(2, "executor")]).toEqual(["1 executor", "2 executors"]);
});
