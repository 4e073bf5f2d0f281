import { expect, test } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

test("prints differences with the surrounding lines", () => {
  const old = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 };
  expect(unifiedDiff(old, { ...old, c: 9 })).toBe(
    [
      "@@ -1,7 +1,7 @@",
      " {",
      '  "a": 1,',
      '  "b": 2,',
      '- "c": 3,',
      '+ "c": 9,',
      '  "d": 4,',
      '  "e": 5,',
      '  "f": 6',
      "",
    ].join("\n"),
  );
  expect(unifiedDiff(old, old)).toBe("");
});

test("prints long differences without searching for the shortest ones", { tags: "long" }, () => {
  const old = { head: [1, 2, 3, 4], list: Array.from({ length: 100_000 }, (_, index) => index), tail: [1, 2, 3, 4] };
  const next = { ...old, list: old.list.map((item) => -item - 1) };
  const lines = unifiedDiff(old, next).split("\n");
  expect([lines[0], lines.length]).toEqual(["@@ -6,100006 +6,100006 @@", 200_008]);
  expect(lines.slice(1, 6)).toEqual(["   4", "  ],", '  "list": [', "-  0,", "-  1,"]);
  const one = { ...old, list: old.list.map((item) => (item === 50_000 ? -1 : item)) };
  expect(unifiedDiff(old, one).split("\n")).toHaveLength(10);
});
