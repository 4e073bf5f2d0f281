import { expect, test } from "vitest";
import { lineQueue } from "./line-queue.ts";

test("lines arrive in order, without line ends, until the end", async () => {
  const { sink, end, lines } = lineQueue();
  for (const text of ["a\n", "\n", "c"]) sink.write(text);
  end();
  const read: string[] = [];
  for await (const line of lines) read.push(line);
  expect(read).toEqual(["a", "", "c"]);
});

test("the writer waits for a reader that is 1000 lines behind", async () => {
  const { sink, end, lines } = lineQueue();
  for (let index = 0; index < 999; index += 1) sink.write(`${index}\n`);
  expect(sink.ready?.()).toBeUndefined();
  sink.write("999\n");
  let isReady = false;
  const ready = sink.ready?.()?.then(() => {
    isReady = true;
  });
  expect(isReady).toBe(false);
  expect((await lines.next()).value).toBe("0");
  await ready;
  expect(isReady).toBe(true);
  end();
});

test("a failure follows the lines before it, and no writer waits after the end", async () => {
  const { sink, end, lines } = lineQueue();
  for (let index = 0; index < 1000; index += 1) sink.write(`${index}\n`);
  end({ error: new Error("broken") });
  expect(sink.ready?.()).toBeUndefined();
  const read: string[] = [];
  const reading = (async () => {
    for await (const line of lines) read.push(line);
  })();
  await expect(reading).rejects.toThrow("broken");
  expect(read).toHaveLength(1000);
});
