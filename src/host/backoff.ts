import type { Clock, Random } from "./host.ts";

/** How long to wait before the next attempt of something that keeps failing. */
export interface Backoff {
  /** Waits, longer each time; starts anew when the last wait is a healthy minute ago. */
  readonly wait: (signal?: AbortSignal) => Promise<void>;
}

const shortestMs = 800;
const usuallyLongestMs = 30_000;
const healthyMs = 60_000;

/** Waits of 0.8 s, doubling up to 30 s, each up to a quarter longer by chance so that many clients do not march in step. */
export function backoff(clock: Clock, random: Random, longestMs = usuallyLongestMs): Backoff {
  let nextMs = shortestMs;
  let last = Number.NEGATIVE_INFINITY;
  return {
    async wait(signal) {
      if (clock.monotonic() - last > healthyMs) nextMs = shortestMs;
      const ms = nextMs * (1 + random.fraction() / 4);
      nextMs = Math.min(nextMs * 2, longestMs);
      await clock.sleep(ms, signal === undefined ? {} : { signal });
      last = clock.monotonic();
    },
  };
}
