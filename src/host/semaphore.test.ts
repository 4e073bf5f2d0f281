import { expect, test } from "vitest";
import { semaphore } from "./semaphore.ts";

test("limits the holders, and grants released permits in first-come order", async () => {
  const { acquire, release, hasWaiters } = semaphore(2);
  const seen: string[] = [];
  const work = async (name: string) => {
    await acquire();
    seen.push(name);
  };
  const all = ["a", "b", "c", "d"].map(work);
  await all[1];
  expect([seen, hasWaiters()]).toEqual([["a", "b"], true]);
  release();
  await all[2];
  expect([seen, hasWaiters()]).toEqual([["a", "b", "c"], true]);
  release();
  await all[3];
  release();
  release();
  await Promise.all([work("e"), work("f")]);
  expect([seen, hasWaiters()]).toEqual([["a", "b", "c", "d", "e", "f"], false]);
});
