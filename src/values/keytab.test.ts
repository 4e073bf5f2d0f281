import { expect, test } from "vitest";
import { principalsOfKeytab } from "./keytab.ts";

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)]);
}

function entry(realm: string, ...components: readonly string[]): Buffer {
  const content = Buffer.concat([
    ...[Buffer.from([0, components.length]), text(realm), ...components.map(text), Buffer.alloc(20, 1)],
  ]);
  return Buffer.concat([Buffer.from([0, 0, 0, content.length]), content]);
}

const removed = Buffer.from([255, 255, 255, 252, 9, 9, 9, 9]);

test("a keytab has the principals of its entries, without removed ones", () => {
  const entries = [entry("R", "ann"), removed, entry("R", "ann"), entry("EXAMPLE.COM", "hdfs", "host1")];
  const bytes = Buffer.concat([Buffer.from([5, 2]), ...entries]);
  expect(principalsOfKeytab(bytes)).toEqual(["ann@R", "hdfs/host1@EXAMPLE.COM"]);
});

test.each([
  ["another format", Buffer.from("HDTS")],
  ["an empty file", Buffer.alloc(0)],
  ["a cut file", Buffer.concat([Buffer.from([5, 2]), entry("R", "ann").subarray(0, 9)])],
])("%s has none", (_, bytes) => {
  expect(principalsOfKeytab(bytes)).toBeUndefined();
});
