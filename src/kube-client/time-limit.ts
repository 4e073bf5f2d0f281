import { Stop, type StopSignal } from "../errors/stop-signal.ts";
import type { Clock } from "../host/host.ts";

/** A time limit. */
export interface TimeLimit {
  /** Aborts when the time is over, and with the caller's signal until `release`. */
  readonly signal: StopSignal;
  readonly isExceeded: () => boolean;
  /** Lets it take as long as it wants. */
  readonly cancel: () => void;
  /** It is done: the caller's signal is let go of as well. */
  readonly release: () => void;
}

/** Starts a time limit of `ms`; 0 means none. */
export function timeLimit(clock: Clock, ms: number, caller: StopSignal | undefined): TimeLimit {
  const signal = new Stop();
  let isExceeded = false;
  const stop = () => signal.abort();
  const exceed = () => {
    isExceeded = true;
    stop();
  };
  const cancel = ms > 0 ? clock.after(ms, exceed) : () => {};
  if (caller?.aborted === true) stop();
  else caller?.addEventListener("abort", stop);
  const release = () => {
    cancel();
    caller?.removeEventListener("abort", stop);
  };
  return { signal, isExceeded: () => isExceeded, cancel, release };
}
