import { expect, test } from "vitest";
import { freeBuffer } from "./free-buffer.ts";

test("the memory of a buffer is given back, and not that which it shares", () => {
  const buffer = new Uint8Array(100);
  freeBuffer(buffer);
  expect(buffer.length).toBe(0);
  const shared = new Uint8Array(100);
  freeBuffer(shared.subarray(1));
  freeBuffer(Buffer.from("in the pool"));
  const everybodys = new Uint8Array(new SharedArrayBuffer(8));
  freeBuffer(everybodys);
  expect([shared.length, everybodys.length]).toEqual([100, 8]);
});
