import { expect, test } from "vitest";
import { isFormatted, knownFormat } from "./formats.ts";

test.each([
  ["date-time", "2026-01-02T03:04:05Z", "2026-01-02"],
  ["date", "2026-02-28", "2026-13-01"],
  ["ipv4", "127.0.0.1", "::1"],
  ["ipv6", "::1", "127.0.0.1"],
  ["cidr", "10.0.0.0/8", "10.0.0.0/33"],
  ["hostname", "a.example.com", "a b"],
  ["uuid", "6ad176b6-790f-4a38-962d-76e822277d40", "6ad1"],
  ["uuid4", "6ad176b6-790f-4a38-962d-76e822277d40", "6ad176b6-790f-1a38-962d-76e822277d40"],
  ["email", "a@example.com", "example.com"],
  ["uri", "https://example.com/a", "a b"],
  ["byte", "YWI=", "YW"],
  ["duration", "1h30m", "1x"],
  ["mac", "01:02:03:04:05:06", "01:02"],
  ["isbn", "978-0321751041", "978-0321751042"],
  ["k8s-short-name", "a-b", "a.b"],
])("checks the format %s", (format, valid, invalid) => {
  const name = knownFormat(format) ?? "";
  expect([isFormatted(name, valid), isFormatted(name, invalid)]).toEqual([true, false]);
});

test("does not check other formats", () => {
  expect([knownFormat("int32"), knownFormat("constructor"), knownFormat(undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
