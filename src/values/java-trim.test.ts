import { expect, test } from "vitest";
import { javaTrim, trimExceptLineEnds } from "./java-trim.ts";

test("trims spaces and control characters, but not other Unicode whitespace", () => {
  expect(javaTrim(" \t\r\n\0a b\u001f ")).toBe("a b");
  expect(javaTrim("\u00a0a")).toBe("\u00a0a");
  expect(javaTrim("  ")).toBe("");
});

test("keeps line ends of a property's value", () => {
  expect(trimExceptLineEnds(" \f\nblah\r\t ")).toBe("\nblah\r");
});
