import type { Clock } from "../../../host/host.ts";
import type { TerminationReason } from "../../submit-outcome.ts";
import type { WaitOptions } from "../../wait-options.ts";
import { hasStarted } from "../watch/driver-end.ts";
import type { LatestPod } from "../watch/latest-pod.ts";

/** Inputs of `enforceTimeLimits`. */
export interface TimeLimitsCall {
  readonly clock: Clock;
  readonly container: string;
  readonly latest: LatestPod;
  readonly terminate: (why: TerminationReason) => Promise<void>;
  /** Aborts at the driver's end. */
  readonly signal: AbortSignal;
}

// Node's timers are limited to 24 days.
const maxSleepMs = 86_400_000;

/** Terminates the driver when it exceeds a limit. */
export function enforceTimeLimits({ startTimeoutMs, runTimeoutMs }: WaitOptions, call: TimeLimitsCall): void {
  if (startTimeoutMs > 0) void limitStart(startTimeoutMs, call);
  if (runTimeoutMs > 0) void limitRun(runTimeoutMs, call);
}

async function limitStart(limitMs: number, call: TimeLimitsCall): Promise<void> {
  const { clock, container, latest, terminate } = call;
  const started = new AbortController();
  const signal = AbortSignal.any([call.signal, started.signal]);
  void latest.until((pod) => hasStarted(pod, container), call.signal).then(() => started.abort());
  if (await elapse(clock, limitMs, signal)) await terminate({ kind: "startTimeout", limitMs });
}

async function limitRun(limitMs: number, { clock, terminate, signal }: TimeLimitsCall): Promise<void> {
  if (await elapse(clock, limitMs, signal)) await terminate({ kind: "runTimeout", limitMs });
}

/** Waits. Returns whether the time has elapsed; false if the signal aborted first. */
async function elapse(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  const end = clock.monotonic() + ms;
  for (let left = ms; left > 0 && !signal.aborted; left = end - clock.monotonic()) {
    await clock.sleep(Math.min(left, maxSleepMs), { signal });
  }
  return !signal.aborted;
}
