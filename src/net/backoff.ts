import type { Clock, Random } from "../host/host.ts";

/** Delays between the attempts of an operation that keeps failing. */
export interface Backoff {
  /** Waits, longer each time; starts anew when the last wait is a healthy minute ago. */
  readonly wait: (signal?: AbortSignal) => Promise<void>;
}

const minDelayMs = 800;
const defaultMaxDelayMs = 30_000;
const healthyMs = 60_000;

/** Waits of 0.8 s, doubling up to 30 s, each up to a quarter longer by chance so that many clients do not march in step. */
export function backoff(clock: Clock, random: Random, maxMs = defaultMaxDelayMs): Backoff {
  let nextMs = minDelayMs;
  let last = Number.NEGATIVE_INFINITY;
  return {
    async wait(signal) {
      if (clock.monotonic() - last > healthyMs) nextMs = minDelayMs;
      const ms = nextMs * (1 + random.fraction() / 4);
      nextMs = Math.min(nextMs * 2, maxMs);
      await clock.sleep(ms, signal === undefined ? {} : { signal });
      last = clock.monotonic();
    },
  };
}
