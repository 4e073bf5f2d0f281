import { expect, test } from "vitest";
import { printTable } from "./print-table.ts";

test("columns are as wide as their widest cell, and the last one has no padding", () => {
  expect(printTable(["A", "LONG", "C"], [["first", "b", "c"], ["2"]])).toBe("A      LONG  C\nfirst  b     c\n2\n");
});

test("a table with more rows than a function can have arguments is printed", () => {
  const rows = Array.from({ length: 200_000 }, () => ["a", "b"]);
  expect(printTable(["A", "B"], rows)).toHaveLength(200_001 * "A  B\n".length);
});
