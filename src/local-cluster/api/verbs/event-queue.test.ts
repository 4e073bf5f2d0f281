import { expect, test, vi } from "vitest";
import { eventQueue } from "./event-queue.ts";

const bytes = (text: string) => Buffer.from(text);

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
}

test("delivers waiting chunks in order and then ends", async () => {
  const queue = eventQueue(10);
  queue.push(bytes("a"));
  queue.push(bytes("b"));
  queue.end();
  queue.push(bytes("late"));
  expect(await readAll(queue.chunks(undefined))).toBe("ab");
});

test("delivers chunks that arrive while the reader waits", async () => {
  const queue = eventQueue(10);
  const text = readAll(queue.chunks(undefined));
  await Promise.resolve();
  queue.push(bytes("a"));
  await Promise.resolve();
  queue.push(bytes("b"));
  queue.end();
  expect(await text).toBe("ab");
});

test("drops a reader that is too far behind, and reports it once", async () => {
  const queue = eventQueue(2);
  const closed = vi.fn();
  queue.onClose(closed);
  for (const text of ["a", "b", "c", "d"]) queue.push(bytes(text));
  expect(closed).toHaveBeenCalledTimes(1);
  expect(await readAll(queue.chunks(undefined))).toBe("");
});

test("ends when the request is aborted", async () => {
  const queue = eventQueue(10);
  const controller = new AbortController();
  const text = readAll(queue.chunks(controller.signal));
  const closed = vi.fn();
  queue.onClose(closed);
  controller.abort();
  expect(await text).toBe("");
  expect(closed).toHaveBeenCalledTimes(1);
  queue.onClose(closed);
  expect(closed).toHaveBeenCalledTimes(2);
});
