import { expect, test } from "vitest";
import { testClock } from "../../../host/test-clock.ts";
import { BusyError, byteBudget } from "./byte-budget.ts";

test("who finds no room waits for it, in order, and gets all there is when that is too little", async () => {
  const { take } = byteBudget(testClock(0), 10);
  const order: string[] = [];
  const first = await take(8);
  const second = take(5).then((releaseResources) => {
    order.push("second");
    return releaseResources;
  });
  const third = take(1).then((releaseResources) => {
    order.push("third");
    return releaseResources;
  });
  first();
  // Twice is once.
  first();
  for (const releaseResources of await Promise.all([second, third])) releaseResources();
  expect(order).toEqual(["second", "third"]);
  const all = await take(1000);
  all();
});

test("who waits too long is told so, and holds up nobody", async () => {
  const clock = testClock(0);
  const { take } = byteBudget(clock, 10);
  const first = await take(9);
  const large = take(5);
  const refused = expect(large).rejects.toThrow(BusyError);
  await clock.advance(29_000);
  const small = take(1);
  await clock.advance(1_000);
  await refused;
  (await small)();
  first();
});
