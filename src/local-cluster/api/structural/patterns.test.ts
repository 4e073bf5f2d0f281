import { expect, test } from "vitest";
import { isMatch, patternFault } from "./patterns.ts";

test.each([
  ["(?i)^A(?P<n>[[:digit:]]+)\\z", "a12", true],
  ["^[a-z\\-]+$", "a-b", true],
  ["^\\pL+$", "\u00e4\u00f6", true],
  ["^.$", "\u{1f600}", true],
  ["^\\s$", "\u00a0", false],
  ["b", "abc", true],
])("matches %s as Go does", (pattern, text, isMatching) => {
  expect(isMatch({ pattern }, text)).toBe(isMatching);
});

test.each([
  ["(", "missing closing ): `(`"],
  ["a**", "invalid nested repetition operator: `**`"],
  ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
  ["(a)\\1", "invalid escape sequence: `\\1`"],
  ["a{1001}", "invalid repeat count: `{1001}`"],
  ["(?:(?:a{100}){100}){100}", "invalid repeat count: `{100}`"],
])("rejects %s as Go does", (pattern, fault) => {
  expect(patternFault(pattern)).toBe(`error parsing regexp: ${fault}`);
});

test("a pattern that a backtracking matcher needs an exponential time for does not block", () => {
  expect(isMatch({ pattern: "^(a+)+$" }, `${"a".repeat(10_000)}b`)).toBe(false);
});

test("a pattern of an earlier release that is not valid matches every text", () => {
  expect(isMatch({ pattern: "(?=a)" }, "b")).toBe(true);
});
