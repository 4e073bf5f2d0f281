import type { Clock } from "../../host/host.ts";

/** A clock that can be set. */
export interface SteppedClock {
  readonly clock: Clock;
  /** Moves what the clock shows, by ms; waits last as long as before, and the steady clock goes on. */
  readonly step: (byMs: number) => void;
  /** How far it is from the true time, in ms. */
  readonly offsetMs: () => number;
  readonly reset: () => void;
}

/** A clock that shows another one's time until it is stepped. */
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
