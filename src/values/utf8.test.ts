import { expect, test } from "vitest";
import { decodeUtf8, decodeUtf8Leniently } from "./utf8.ts";

test("keeps the byte order mark", () => {
  expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0xc3, 0xbc))).toBe("\ufeffü");
});

test("replaces each invalid part in lenient mode, as Java does", () => {
  const bytes = Uint8Array.of(0xfe, 0xff, 0x00, 0x80, 0x61, 0xe2, 0x82);
  expect(decodeUtf8(bytes)).toBeUndefined();
  expect(decodeUtf8Leniently(bytes)).toBe("\ufffd\ufffd\0\ufffda\ufffd");
});
