import { expect, test } from "vitest";
import { warningHeader } from "./warning-header.ts";

/** Decodes a header as clients do. */
const headerOf = (...texts: readonly string[]) => Buffer.from(warningHeader(texts) ?? "", "latin1").toString("utf8");

test("lists each warning once", () => {
  expect(warningHeader([])).toBeUndefined();
  expect(headerOf("a", "b", "a")).toBe('299 - "a", 299 - "b"');
});

test("escapes quotes, encodes other characters in UTF-8, and omits texts with control characters", () => {
  expect(headerOf('say "é日本😀" \\', "a\nb", "\ud800")).toBe('299 - "say \\"é日本😀\\" \\\\", 299 - "\ufffd"');
});

// As in Kubernetes 1.35: 4,096 characters, then 256 each.
test("truncates each warning if there are too many characters", { tags: "long" }, () => {
  expect(headerOf("x".repeat(4096))).toBe(`299 - "${"x".repeat(4096)}"`);
  expect(headerOf("😀".repeat(4097))).toBe(`299 - "${"😀".repeat(256)}"`);
  const many = Array.from({ length: 100_000 }, (_, index) => `${index}${"x".repeat(300)}`);
  expect(headerOf(...many).split(", ")).toHaveLength(16);
});
