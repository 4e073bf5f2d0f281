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
