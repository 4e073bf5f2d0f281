import { expect, test } from "vitest";
import { allOrAbort } from "./all-or-abort.ts";

test("rejects with the first failure after the other actions have ended", async () => {
  let hasEnded = false;
  const slow = (signal: AbortSignal) =>
    new Promise<void>((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        hasEnded = true;
        reject(signal.reason);
      });
    });
  const failing = () => Promise.reject(new Error("the first"));
  await expect(allOrAbort(undefined, [slow, failing])).rejects.toThrow("the first");
  expect(hasEnded).toBe(true);
});

test("returns results in the order of the actions, and starts none after an abort", async () => {
  expect(await allOrAbort(undefined, [async () => 1, async () => 2])).toEqual([1, 2]);
  let started = 0;
  const stopped = AbortSignal.abort(new Error("stopped"));
  await expect(allOrAbort(stopped, [async () => (started += 1)])).rejects.toThrow("stopped");
  expect(started).toBe(0);
});
