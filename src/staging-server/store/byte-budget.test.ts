import { expect, test } from "vitest";
import { testClock } from "../../host/test-clock.ts";
import { BusyError, byteBudget } from "./byte-budget.ts";

test("grants bytes in order, and the whole budget for a request above it", async () => {
  const { acquire } = byteBudget(testClock(0), 10);
  const order: string[] = [];
  const first = await acquire(8);
  const second = acquire(5).then((release) => {
    order.push("second");
    return release;
  });
  const third = acquire(1).then((release) => {
    order.push("third");
    return release;
  });
  first();
  // A second release has no effect.
  first();
  for (const release of await Promise.all([second, third])) release();
  expect(order).toEqual(["second", "third"]);
  const all = await acquire(1000);
  all();
});

test("rejects a request that times out, and grants the next one", async () => {
  const clock = testClock(0);
  const { acquire } = byteBudget(clock, 10);
  const first = await acquire(9);
  const large = acquire(5);
  const rejected = expect(large).rejects.toThrow(BusyError);
  await clock.advance(29_000);
  const small = acquire(1);
  await clock.advance(1_000);
  await rejected;
  (await small)();
  first();
});
