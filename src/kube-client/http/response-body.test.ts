import { expect, test } from "vitest";
import { readText } from "../lines.ts";
import { responseBody } from "./response-body.ts";

function bodyWithFlow() {
  const calls: string[] = [];
  const record = (call: string) => () => {
    calls.push(call);
  };
  return {
    calls,
    ...responseBody({ pause: record("pause"), resume: record("resume"), cancel: record("cancel") }),
  };
}

test("returns bytes in order, whether they arrive before or after the read", async () => {
  const body = bodyWithFlow();
  body.push(Buffer.from("one "));
  const text = readText(body.chunks, 100);
  body.push(Buffer.from("two "));
  await Promise.resolve();
  body.push(Buffer.from("three"));
  body.end();
  expect(await text).toBe("one two three");
});

test("pauses the connection for a slow reader and resumes it", async () => {
  const { calls, push, end, chunks } = bodyWithFlow();
  for (let count = 0; count < 9; count += 1) push(new Uint8Array(65_536));
  expect(calls).toEqual(["pause"]);
  end();
  expect((await readText(chunks, 1e6))?.length).toBe(9 * 65_536);
  expect(calls).toEqual(["pause", "resume"]);
});

test("throws a failure after the received bytes, on each read", async () => {
  const { push, fail, chunks } = bodyWithFlow();
  push(Buffer.from("x"));
  fail(new Error("broken"));
  const reader = chunks[Symbol.asyncIterator]();
  expect(await reader.next()).toMatchObject({ done: false });
  await expect(reader.next()).rejects.toThrow("broken");
  await expect(reader.next()).rejects.toThrow("broken");
});

test("cancels the connection when the reader stops before the end", async () => {
  const early = bodyWithFlow();
  early.push(Buffer.from("x"));
  for await (const _ of early.chunks) break;
  expect(early.calls).toEqual(["cancel"]);
  const late = bodyWithFlow();
  late.push(Buffer.from("x"));
  late.end();
  for await (const _ of late.chunks) break;
  expect(late.calls).toEqual([]);
});
