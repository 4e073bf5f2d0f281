import { expect, test } from "vitest";
import { semaphore } from "./semaphore.ts";

test("so many work at once, and who waits comes when somebody leaves, the first one first", async () => {
  const { take, leave, isWanted } = semaphore(2);
  const seen: string[] = [];
  const work = async (name: string) => {
    await take();
    seen.push(name);
  };
  const all = ["a", "b", "c", "d"].map(work);
  await all[1];
  expect([seen, isWanted()]).toEqual([["a", "b"], true]);
  leave();
  await all[2];
  expect([seen, isWanted()]).toEqual([["a", "b", "c"], true]);
  leave();
  await all[3];
  leave();
  leave();
  await Promise.all([work("e"), work("f")]);
  expect([seen, isWanted()]).toEqual([["a", "b", "c", "d", "e", "f"], false]);
});
