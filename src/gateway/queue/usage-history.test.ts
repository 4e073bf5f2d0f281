import { expect, test } from "vitest";
import { startUsageHistory } from "./usage-history.ts";

test("keeps the latest samples, and ends with the present", () => {
  let now = 0;
  let running = 0;
  let next = () => {};
  const clock = {
    now: () => now,
    after: (ms: number, action: () => void) => {
      next = () => {
        now += ms;
        action();
      };
      return () => {
        next = () => {};
      };
    },
  };
  const usage = () => [
    { queue: "default", weight: 1, limits: {}, waiting: 2, running, demand: { cores: running * 2, memoryMiB: 1 } },
  ];
  const recorded = startUsageHistory(clock, { usage }, { intervalMs: 10, maxSamples: 2 });
  for (running = 1; running < 4; running += 1) next();
  const cores = () => recorded.samples().map(({ atMs, queues }) => [atMs, queues[0]?.cores]);
  expect(cores()).toEqual([
    [20, 4],
    [30, 6],
    [30, 8],
  ]);
  recorded.stop();
  next();
  expect(cores()).toHaveLength(3);
});
