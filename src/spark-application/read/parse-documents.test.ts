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
