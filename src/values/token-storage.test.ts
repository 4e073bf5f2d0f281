import { expect, test } from "vitest";
import { inspectTokenStorage } from "./token-storage.ts";

function kindOf(text: string): string {
  return inspectTokenStorage(Buffer.from(text, "latin1")).kind;
}

test.each([
  ["HDTS\0\x01\x05alias", "tokens"],
  ["HDTS\0\0\x01\x03key", "tokens"],
  ["HDTS\x01\x20rest", "tokens"],
  ["HDTS\0\0\0", "empty"],
  ["HDTS\x01\0", "empty"],
  ["HDTS\x02\x01", "unreadable"],
  ["garbage!", "unreadable"],
  ["HDTS", "unreadable"],
  ["", "unreadable"],
])("%j holds: %s", (text, kind) => {
  expect(kindOf(text)).toBe(kind);
});
