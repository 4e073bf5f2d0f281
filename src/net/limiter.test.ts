import { expect, test } from "vitest";
import { limiter } from "./limiter.ts";

test("runs at most the permitted number of actions, also after failures", async () => {
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
