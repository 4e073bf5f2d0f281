import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { int64 } from "./byte-writer.ts";
import { LengthPrefixedReader } from "./length-prefixed-reader.ts";

const message = (content: Uint8Array) => Buffer.concat([int64(BigInt(8 + content.length)), content]);

function readAll(reader: LengthPrefixedReader): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let next = reader.next(); next !== undefined; next = reader.next()) found.push(Buffer.from(next));
  return found;
}

test("splits any messages that arrive in any pieces", () => {
  const messages = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 20 });
  const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(messages, sizes, (contents, pieces) => {
      const stream = Buffer.concat(contents.map(message));
      const reader = new LengthPrefixedReader(1000);
      const found: Buffer[] = [];
      let start = 0;
      for (let index = 0; start < stream.length; index += 1) {
        const end = start + (pieces[index % pieces.length] ?? 1);
        reader.push(stream.subarray(start, end));
        found.push(...readAll(reader));
        start = end;
      }
      expect(found.map((content) => [...content])).toEqual(contents.map((content) => [...content]));
      expect(reader.pendingBytes()).toBe(0);
    }),
  );
});

test("keeps the content of a message after the next push", () => {
  const reader = new LengthPrefixedReader(100);
  reader.push(message(Buffer.from("first")).subarray(0, 10));
  reader.push(
    Buffer.concat([message(Buffer.from("first")).subarray(10), message(Buffer.from("second")).subarray(0, 9)]),
  );
  const first = reader.next();
  reader.push(message(Buffer.from("second")).subarray(9));
  expect(reader.next()?.toString()).toBe("second");
  expect(first?.toString()).toBe("first");
});

describe("the length", () => {
  test.each([
    [8n, "Frame length should be positive: 0"],
    [7n, "Frame length should be positive: -1"],
    [-5n, "Frame length should be positive: -13"],
    [-(2n ** 63n) + 8n, "Frame length should be positive: -9223372036854775808"],
    [2n ** 63n - 1n, "Too large frame: 9223372036854775799"],
    [2n ** 31n + 8n, "Too large frame: 2147483648"],
    [109n, "Too large frame: 101"],
  ])("%d is rejected", (length, text) => {
    const reader = new LengthPrefixedReader(100);
    reader.push(int64(length));
    expect(() => reader.next()).toThrow(text);
  });

  test("of the limit is accepted", () => {
    const reader = new LengthPrefixedReader(100);
    reader.push(message(Buffer.alloc(100)));
    expect(reader.next()?.length).toBe(100);
  });
});

test("a large announced length allocates no memory", () => {
  const reader = new LengthPrefixedReader(2 ** 31 - 1);
  const before = process.memoryUsage().arrayBuffers;
  reader.push(int64(2n ** 31n));
  for (let index = 0; index < 1000; index += 1) reader.push(Buffer.from([index & 0xff]));
  expect(reader.next()).toBeUndefined();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
});

test("returns the bytes that belong to no message", () => {
  const reader = new LengthPrefixedReader(100);
  reader.push(Buffer.concat([message(Buffer.from("x")), Buffer.from("rest")]));
  expect(reader.next()?.toString()).toBe("x");
  expect(reader.takePending().toString()).toBe("rest");
  expect(reader.pendingBytes()).toBe(0);
});
