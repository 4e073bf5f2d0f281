import type { Clock } from "../../host/host.ts";

/** A clock that can be set. */
export interface SteppedClock {
  readonly clock: Clock;
  /** Moves the wall clock by ms. Timers and the monotonic clock are not affected. */
  readonly step: (byMs: number) => void;
  /** Returns the difference from the true time, in ms. */
  readonly offsetMs: () => number;
  readonly reset: () => void;
}

/** Wraps a clock so that it can be stepped. */
export function steppedClock(clock: Clock): SteppedClock {
  let offset = 0;
  return {
    clock: { ...clock, now: () => clock.now() + offset },
    step(byMs) {
      offset += byMs;
    },
    offsetMs: () => offset,
    reset() {
      offset = 0;
    },
  };
}
