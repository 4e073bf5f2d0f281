import type { Clock } from "../host/host.ts";

/** How long something may take. */
export interface TimeLimit {
  /** Aborts when the time is over, and with the caller's signal, even after `cancel`. */
  readonly signal: AbortSignal;
  readonly isExceeded: () => boolean;
  /** Lets it take as long as it wants. */
  readonly cancel: () => void;
}

/** Starts a time limit of `ms`; 0 means none. */
export function timeLimit(clock: Clock, ms: number, caller: AbortSignal | undefined): TimeLimit {
  const controller = new AbortController();
  const cancel = ms > 0 ? clock.after(ms, () => controller.abort()) : () => {};
  return {
    signal: caller === undefined ? controller.signal : AbortSignal.any([caller, controller.signal]),
    isExceeded: () => controller.signal.aborted,
    cancel,
  };
}
