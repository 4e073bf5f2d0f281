import { expect, test } from "vitest";
import { principalOfTicketCache } from "./ticket-cache.ts";

function text(value: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, Buffer.from(value)]);
}

const principal = Buffer.concat([
  Buffer.from([0, 0, 0, 1, 0, 0, 0, 2]),
  ...["EXAMPLE.COM", "hdfs", "host1"].map((part) => text(part)),
]);

test.each([
  ["version 4", Buffer.concat([Buffer.from([5, 4, 0, 4, 1, 2, 3, 4]), principal, Buffer.from("tickets")])],
  ["version 3", Buffer.concat([Buffer.from([5, 3]), principal])],
])("a ticket cache of %s has a principal", (_, bytes) => {
  expect(principalOfTicketCache(bytes)).toBe("hdfs/host1@EXAMPLE.COM");
});

test.each([
  ["another format", Buffer.from("HDTS")],
  ["an old version", Buffer.concat([Buffer.from([5, 2]), principal])],
  ["a cut file", Buffer.concat([Buffer.from([5, 3]), principal.subarray(0, 20)])],
  ["an empty file", Buffer.alloc(0)],
])("%s has none", (_, bytes) => {
  expect(principalOfTicketCache(bytes)).toBeUndefined();
});
