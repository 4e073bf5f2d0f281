import { expect, test, vi } from "vitest";
import { eventQueue } from "./event-queue.ts";

const queueOf = (limit: number, print = (text: string): Uint8Array => Buffer.from(text)) =>
  eventQueue({ limit, print });

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
}

test("delivers waiting events in order and then ends", async () => {
  const queue = queueOf(10);
  queue.push("a");
  queue.push("b");
  queue.end();
  queue.push("late");
  expect(await readAll(queue.chunks(undefined, ["first ", "second "]))).toBe("first second ab");
});

test("delivers events that arrive while the reader waits", async () => {
  const queue = queueOf(10);
  const text = readAll(queue.chunks(undefined));
  await Promise.resolve();
  queue.push("a");
  await Promise.resolve();
  queue.push("b");
  queue.end();
  expect(await text).toBe("ab");
});

test("drops a reader that is too far behind, and reports it once", async () => {
  const queue = queueOf(2);
  const [closed, dropped] = [vi.fn(), vi.fn()];
  queue.onClose(closed);
  queue.onDrop(dropped);
  for (const text of ["a", "b", "c", "d"]) queue.push(text);
  expect([closed.mock.calls.length, dropped.mock.calls.length]).toEqual([1, 1]);
  expect(await readAll(queue.chunks(undefined, ["first"]))).toBe("");
});

test("prints events in their order, and few of them before they are read", async () => {
  const printed: string[] = [];
  const queue = queueOf(5_000, (text) => {
    printed.push(text);
    return Buffer.alloc(100 * 1024, text);
  });
  const reader = queue
    .chunks(
      undefined,
      (function* () {
        yield "1";
        queue.push("3");
        yield "2";
      })(),
    )
    [Symbol.asyncIterator]();
  const read = async (count: number) => {
    for (let index = 0; index < count; index += 1) await reader.next();
    return printed.join("");
  };
  queue.push("0");
  expect([printed.join(""), await read(1), await read(3)]).toEqual(["", "1", "1203"]);
  const waiting = reader.next();
  for (let index = 0; index < 1000; index += 1) queue.push(String(index % 10));
  // While the client keeps up, and for a quarter of a MiB behind it.
  expect(printed.join("")).toBe("1203012");
  await waiting;
  expect(await read(999)).toBe(`1203${"0123456789".repeat(100)}`);
});

test("ends when the request is aborted", async () => {
  const queue = queueOf(10);
  const controller = new AbortController();
  const text = readAll(queue.chunks(controller.signal));
  const [closed, dropped] = [vi.fn(), vi.fn()];
  queue.onClose(closed);
  queue.onDrop(dropped);
  controller.abort();
  expect(await text).toBe("");
  expect(closed).toHaveBeenCalledTimes(1);
  queue.onClose(closed);
  expect(closed).toHaveBeenCalledTimes(2);
  expect(dropped).not.toHaveBeenCalled();
});
