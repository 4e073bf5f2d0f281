import { expect, test } from "vitest";
import { allOrAbort, limiter } from "./all-or-abort.ts";

test("a limit holds, and what fails makes room", async () => {
  const limited = limiter(2);
  let running = 0;
  let most = 0;
  const action = (index: number) => async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    if (index % 3 === 0) throw new Error("failed");
    return index;
  };
  const results = await Promise.allSettled([0, 1, 2, 3, 4, 5].map((index) => limited(action(index))));
  expect(results.map(({ status }) => status)).toEqual([
    ...["rejected", "fulfilled", "fulfilled"],
    ...["rejected", "fulfilled", "fulfilled"],
  ]);
  expect(most).toBe(2);
});

test("the first failure stops the others and is told when they have ended", async () => {
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

test("results come in the order of the actions, and nothing starts once all is stopped", async () => {
  expect(await allOrAbort(undefined, [async () => 1, async () => 2])).toEqual([1, 2]);
  let started = 0;
  const stopped = AbortSignal.abort(new Error("stopped"));
  await expect(allOrAbort(stopped, [async () => (started += 1)])).rejects.toThrow("stopped");
  expect(started).toBe(0);
});
