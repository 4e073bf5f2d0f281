import { expect, test } from "vitest";
import { keyedQueue } from "./keyed-queue.ts";

test("actions with one key run in order, also after a failure, and do not wait for those with another key", async () => {
  const queue = keyedQueue();
  const done: string[] = [];
  let endFirst = () => {};
  const first = queue.run("a", async () => {
    await new Promise<void>((resolve) => {
      endFirst = resolve;
    });
    throw new Error("failed");
  });
  const second = queue.run("a", async () => done.push("a"));
  await queue.run("b", async () => done.push("b"));
  expect(done).toEqual(["b"]);
  endFirst();
  await expect(first).rejects.toThrow("failed");
  await second;
  expect(done).toEqual(["b", "a"]);
});

test("a queue is idle when its actions have ended, whether they failed or not", async () => {
  const queue = keyedQueue();
  const done: string[] = [];
  queue.run("a", async () => Promise.reject(new Error("failed"))).catch(() => done.push("a"));
  void queue.run("b", async () => done.push("b"));
  await queue.idle();
  expect(done.sort()).toEqual(["a", "b"]);
});
