import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDocuments } from "./parse-documents.ts";

test.each([
  ["mode: 0400", { mode: 256 }],
  ["mode: 0o400", { mode: 256 }],
  ["count: 08", { count: 8 }],
  ["time: 12:30", { time: "12:30" }],
  ["date: 2026-01-01", { date: "2026-01-01" }],
  ["size: 1e3", { size: 1000 }],
  ["many: 1_000", { many: 1000 }],
  ["less: -0x1f", { less: -31 }],
  ["version: 4.0.5", { version: "4.0.5" }],
  ["version: 4.0", { version: 4 }],
  ["choice: no", { choice: false }],
  ["text: 'no'", { text: "no" }],
  ["base: &b {a: 1}\nother: {<<: *b, c: 2}", { base: { a: 1 }, other: { a: 1, c: 2 } }],
  ["# only\r\na: |\r\n  b\r\n", { a: "b\n" }],
  ['text: "a/b" # not \\/ here', { text: "a/b" }],
  ["text: 'a\\/b'", { text: "a\\/b" }],
  ["text: a\\/b", { text: "a\\/b" }],
  ["a: true\nb: Off\nc: yes\nd: FALSE\ne: 'true'", { a: true, b: false, c: true, d: false, e: "true" }],
  [
    "a: 4.3.0\nb: -1\nc: +2\nd: .5\ne: -x\nf: _1\ng: 10g",
    { a: "4.3.0", b: -1, c: 2, d: 0.5, e: "-x", f: "_1", g: "10g" },
  ],
  ["a: null\nb: NULL\nc:\nd: nUll", { a: null, b: null, c: null, d: "nUll" }],
  ['text: |\n  "a\\/b"\n', { text: '"a\\/b"\n' }],
])("%j is %j", async (text, expected) => {
  expect(await parseDocuments(text)).toEqual([expected]);
});

test("leaves out empty documents", async () => {
  expect(await parseDocuments("---\na: 1\n---\n---\nb: 2\n")).toEqual([{ a: 1 }, { b: 2 }]);
});

test("rejects anchors that contain themselves, and aliases that repeat too much", async () => {
  await expect(parseDocuments("a: &a [*a]")).rejects.toThrow("an anchor that contains itself");
  const lines = Array.from({ length: 8 }, (_, index) => `b${index + 1}: &b${index + 1} [${`*b${index},`.repeat(9)}]`);
  await expect(parseDocuments(["b0: &b0 [x]", ...lines].join("\n"))).rejects.toThrow("more than 100000 values");
});

test.each([
  ['{"a": "b\\/c"}', "\\/ in line 1 is not an escape of YAML 1.1; write / instead"],
  ['a: |\n  x\nb: "c\\/d"', "\\/ in line 3 is not an escape of YAML 1.1; write / instead"],
  ["a: 1\na: 2", "duplicated mapping key (2:1)"],
])("rejects %j", async (text, reason) => {
  await expect(parseDocuments(text)).rejects.toThrow(reason);
});

test("parses a plain document as the complete parser parses it", { tags: "long" }, async () => {
  const scalar = fc.constantFrom(
    ...["a", "-b", "y", "n", "Yes", "NO", "on", "oFF", "true", "True", "false", "null", "nUll", "'1'", '"no"'],
    ...[
      "0",
      "08",
      "0400",
      "0o17",
      "0b1",
      "0x1F",
      "1_000",
      "-1",
      "+1",
      ".5",
      "1.",
      "1e3",
      ".inf",
      "-.INF",
      ".nan",
      "4.3.0",
      "12:30",
    ],
    ...[
      "1g",
      "spark:4.3.0",
      "local:///a.jar",
      "{}",
      "[]",
      "~",
      "- a",
      "a b",
      "2026-01-01",
      "-",
      "+",
      ".",
      "-.",
      "_1",
      "1__0",
      "0x",
    ],
  );
  const key = fc.constantFrom("a", "b.c", "on", "y", "null", "no-x", "n1");
  const entry = fc.tuple(key, scalar).map(([name, text]) => `${name}: ${text}`);
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 3 }), async (entries) => {
      const outcome = (text: string) => parseDocuments(text).catch((error: unknown) => String(error));
      const text = entries.join("\n");
      // Only the complete parser reads the comment behind a text.
      expect(await outcome(text)).toStrictEqual(await outcome(`${text} # complete`));
    }),
    { numRuns: 3000 },
  );
});
