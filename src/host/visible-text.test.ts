import fc from "fast-check";
import { expect, test } from "vitest";
import { indentedLines, visibleLine, visibleText } from "./visible-text.ts";

const invisible = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

test.each([
  ["\u001b[31mred\u001b[0m", "\\u001b[31mred\\u001b[0m"],
  ["\u001b]0;title\u0007", "\\u001b]0;title\\u0007"],
  ["\u001b]8;;http://x\u001b\\link", "\\u001b]8;;http://x\\u001b\\link"],
  ["\u009b2J\u007f", "\\u009b2J\\u007f"],
  ["done\rfake", "done\\u000dfake"],
  ["a\u202eb\u2066c\u061c\u200f", "a\\u202eb\\u2066c\\u061c\\u200f"],
  ["x\u2028y\u2029z\u0085\v\f", "x\\u2028y\\u2029z\\u0085\\u000b\\u000c"],
  ["tab\tand\nline, é 日本 😀 \u200d", "tab\tand\nline, é 日本 😀 \u200d"],
])("visibleText(%j) is %j", (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test("visibleLine has neither line ends nor tabs", () => {
  expect(visibleLine("a\n\tb")).toBe("a\\u000a\\u0009b");
});

test("indentedLines indents by two tabs", () => {
  expect(indentedLines("a\nb\n\tc")).toBe("a\n\t\tb\n\t\t\tc");
  expect(indentedLines("a")).toBe("a");
});

test("texts have no invisible character, and JSON keeps its meaning", { tags: "long" }, () => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  fc.assert(
    fc.property(text, (original) => {
      expect(visibleText(original)).not.toMatch(invisible);
      expect(visibleLine(original)).not.toMatch(/\n|\t/);
      expect(JSON.parse(visibleText(JSON.stringify({ [original]: original }, undefined, 2)))).toEqual({
        [original]: original,
      });
    }),
  );
});
