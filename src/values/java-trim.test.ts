import { expect, test } from "vitest";
import { javaTrim, trimExceptLineEnds } from "./java-trim.ts";

test("blanks and control characters go at both ends, other blanks of Unicode stay", () => {
  expect(javaTrim(" \t\r\n\0a b\u001f ")).toBe("a b");
  expect(javaTrim("\u00a0a")).toBe("\u00a0a");
  expect(javaTrim("  ")).toBe("");
});

test("line ends of a property's value stay", () => {
  expect(trimExceptLineEnds(" \f\nblah\r\t ")).toBe("\nblah\r");
});
