import type { Clock, Random } from "../host/host.ts";

/** Delays between the attempts of an operation that keeps failing. */
export interface Backoff {
  /** Doubles the delay after each failure. After 60 s without a failure, the delay resets. */
  readonly wait: (signal?: AbortSignal) => Promise<void>;
  /** Returns the delay of the next attempt, in ms, for callers with a timer of their own. */
  readonly nextDelayMs: () => number;
}

const minDelayMs = 800;
const defaultMaxDelayMs = 30_000;
const healthyMs = 60_000;

/** Delays of 0.8 s, doubling up to `maxMs`, each extended at random by up to 25 % so that clients do not retry in step. */
export function backoff(clock: Clock, random: Random, maxMs = defaultMaxDelayMs): Backoff {
  let nextMs = minDelayMs;
  let last = Number.NEGATIVE_INFINITY;
  const nextDelayMs = () => {
    if (clock.monotonic() - last > healthyMs) nextMs = minDelayMs;
    const ms = nextMs * (1 + random.fraction() / 4);
    nextMs = Math.min(nextMs * 2, maxMs);
    last = clock.monotonic() + ms;
    return ms;
  };
  return {
    nextDelayMs,
    async wait(signal) {
      await clock.sleep(nextDelayMs(), signal === undefined ? {} : { signal });
      last = clock.monotonic();
    },
  };
}
