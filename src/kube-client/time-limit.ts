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

interface TimeLimitOptions {
  /** 0: no limit. */
  readonly ms: number;
  readonly caller?: StopSignal | undefined;
  /** Delay of the caller's signal in ms. @default 0 */
  readonly graceMs?: number;
}

/** Starts a time limit. */
export function timeLimit(clock: Clock, { ms, caller, graceMs = 0 }: TimeLimitOptions): TimeLimit {
  const signal = new Stop();
  let isExceeded = false;
  const stop = () => signal.abort();
  const exceed = () => {
    isExceeded = true;
    stop();
  };
  const cancel = ms > 0 ? clock.after(ms, exceed) : () => {};
  let cancelGrace = () => {};
  const onAbort = () => {
    if (graceMs === 0) stop();
    else cancelGrace = clock.after(graceMs, stop);
  };
  if (caller?.aborted === true) stop();
  else caller?.addEventListener("abort", onAbort);
  const release = () => {
    cancel();
    cancelGrace();
    caller?.removeEventListener("abort", onAbort);
  };
  return { signal, isExceeded: () => isExceeded, cancel, release };
}
