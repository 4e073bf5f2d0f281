import { expect, test } from "vitest";
import { testClock } from "../host/test-clock.ts";
import { backoff } from "./backoff.ts";

const random = { bytes: () => new Uint8Array(), uuid: () => "", fraction: () => 0 };

test("delays double from 0.8 s to 30 s and reset after 60 s without a failure", async () => {
  const clock = testClock(0);
  const { wait } = backoff(clock, random);
  const next = async () => {
    const startMs = clock.monotonic();
    await clock.settle(wait());
    return clock.monotonic() - startMs;
  };
  const waits = [];
  for (let n = 0; n < 7; n += 1) waits.push(await next());
  expect(waits).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000]);
  await clock.advance(60_001);
  expect(await next()).toBe(800);
});
