import { expect, test } from "vitest";
import { levelOf, matchingLines, splitAtMatches } from "./find-in-log.ts";

test("selects lines without regard to case", () => {
  const lines = ["Task failed", "done"].map((text, number) => ({ number, text }));
  expect(matchingLines(lines, "FAIL").map(({ number }) => number)).toEqual([0]);
  expect(matchingLines(lines, "")).toEqual(lines);
});

test.each([
  ["aXbxc", "x", ["a", "[X]", "b", "[x]", "c"]],
  ["xx", "x", ["[x]", "[x]"]],
  ["abc", "", ["abc"]],
  ["İx", "x", ["İx"]],
])("splits %j at the matches of %j", (line, text, pieces) => {
  expect(splitAtMatches(line, text).map((piece) => (piece.isMatch ? `[${piece.text}]` : piece.text))).toEqual(pieces);
});

test.each([
  ["26/01/01 00:00:00 WARN A: b", "warn"],
  ["26/01/01 00:00:00 ERROR A: b", "error"],
  ["Caused by: java.io.IOException", "error"],
  ["an ERROR in a text", undefined],
])("finds the level of %j", (line, level) => {
  expect(levelOf(line)).toBe(level);
});
