import { Stop, type StopSignal } from "../errors/stop-signal.ts";
import type { Clock } from "../host/host.ts";

/** A time limit. */
interface TimeLimit {
  /** Aborts when the limit is exceeded, and with the caller's signal until `release`. */
  readonly signal: StopSignal;
  readonly isExceeded: () => boolean;
  /** Removes the limit, but keeps the caller's signal. */
  readonly cancel: () => void;
  /** Removes the limit and the listener on the caller's signal. */
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
