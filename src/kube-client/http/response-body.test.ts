import { expect, test } from "vitest";
import { readText } from "../lines.ts";
import { responseBody } from "./response-body.ts";

function bodyWithFlow() {
  const asked: string[] = [];
  const note = (what: string) => () => {
    asked.push(what);
  };
  return {
    asked,
    ...responseBody({ pause: note("pause"), resume: note("resume"), abandon: note("abandon") }),
  };
}

test("what arrives before somebody reads, and after, is read in order", async () => {
  const body = bodyWithFlow();
  body.push(Buffer.from("one "));
  const text = readText(body.chunks);
  body.push(Buffer.from("two "));
  await Promise.resolve();
  body.push(Buffer.from("three"));
  body.end();
  expect(await text).toBe("one two three");
});

test("a slow reader makes the server wait, and a quick one again not", async () => {
  const { asked, push, end, chunks } = bodyWithFlow();
  for (let count = 0; count < 9; count += 1) push(new Uint8Array(65_536));
  expect(asked).toEqual(["pause"]);
  end();
  expect((await readText(chunks)).length).toBe(9 * 65_536);
  expect(asked).toEqual(["pause", "resume"]);
});

test("a failure comes after what had arrived, and each time", async () => {
  const { push, fail, chunks } = bodyWithFlow();
  push(Buffer.from("x"));
  fail(new Error("broken"));
  const reader = chunks[Symbol.asyncIterator]();
  expect(await reader.next()).toMatchObject({ done: false });
  await expect(reader.next()).rejects.toThrow("broken");
  await expect(reader.next()).rejects.toThrow("broken");
});

test("whoever stops reading gives up the connection, unless all has arrived", async () => {
  const early = bodyWithFlow();
  early.push(Buffer.from("x"));
  for await (const _ of early.chunks) break;
  expect(early.asked).toEqual(["abandon"]);
  const late = bodyWithFlow();
  late.push(Buffer.from("x"));
  late.end();
  for await (const _ of late.chunks) break;
  expect(late.asked).toEqual([]);
});
