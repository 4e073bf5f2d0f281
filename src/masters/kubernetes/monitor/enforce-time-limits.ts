import type { Clock } from "../../../host/host.ts";
import { hasStarted } from "../watch/driver-end.ts";
import type { LatestPod } from "../watch/latest-pod.ts";
import type { TerminationReason } from "./driver-terminator.ts";

/** How long a driver may take, in ms, counted from now; 0: as long as it wants. */
export interface TimeLimits {
  readonly startTimeoutMs: number;
  readonly runTimeoutMs: number;
}

/** Whose limits they are. */
export interface TimeLimitsCall {
  readonly clock: Clock;
  readonly container: string;
  readonly latest: LatestPod;
  readonly terminate: (why: TerminationReason) => Promise<void>;
  /** Aborts when the driver is at its end. */
  readonly signal: AbortSignal;
}

// The timers of Node know no more than 24 days.
const longestSleepMs = 86_400_000;

/** Gives a driver up that takes longer than it may. */
export function enforceTimeLimits({ startTimeoutMs, runTimeoutMs }: TimeLimits, call: TimeLimitsCall): void {
  if (startTimeoutMs > 0) void limitStart(startTimeoutMs, call);
  if (runTimeoutMs > 0) void limitRun(runTimeoutMs, call);
}

async function limitStart(limitMs: number, call: TimeLimitsCall): Promise<void> {
  const { clock, container, latest, terminate } = call;
  const begun = new AbortController();
  const signal = AbortSignal.any([call.signal, begun.signal]);
  void latest.until((pod) => hasStarted(pod, container), call.signal).then(() => begun.abort());
  if (await elapse(clock, limitMs, signal)) await terminate({ kind: "startTimeout", limitMs });
}

async function limitRun(limitMs: number, { clock, terminate, signal }: TimeLimitsCall): Promise<void> {
  if (await elapse(clock, limitMs, signal)) await terminate({ kind: "runTimeout", limitMs });
}

/** True when the time is over, false when the signal came first. */
async function elapse(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  const end = clock.monotonic() + ms;
  for (let left = ms; left > 0 && !signal.aborted; left = end - clock.monotonic()) {
    await clock.sleep(Math.min(left, longestSleepMs), { signal });
  }
  return !signal.aborted;
}
