import type { Clock } from "../../../host/host.ts";
import type { TerminationReason } from "../../submit-outcome.ts";
import type { WaitOptions } from "../../wait-options.ts";
import { hasStarted } from "../watch/driver-end.ts";
import type { WatchedPod } from "../watch/latest-pod.ts";

type Terminate = (why: TerminationReason) => Promise<void>;

// Node's timers are limited to 24 days.
const maxSleepMs = 86_400_000;

/** Terminates the driver when it exceeds a limit. */
export function enforceTimeLimits(limits: WaitOptions, driver: WatchedPod, terminate: Terminate): void {
  const { startTimeoutMs, runTimeoutMs } = limits;
  const { clock, container, latest, signal } = driver;
  const enforce = async (kind: "startTimeout" | "runTimeout", limitMs: number, until: AbortSignal) => {
    if (await elapse(clock, limitMs, until)) await terminate({ kind, limitMs });
  };
  if (startTimeoutMs > 0) {
    const started = new AbortController();
    void latest.until((pod) => hasStarted(pod, container), signal).then(() => started.abort());
    void enforce("startTimeout", startTimeoutMs, AbortSignal.any([signal, started.signal]));
  }
  if (runTimeoutMs > 0) void enforce("runTimeout", runTimeoutMs, signal);
}

/** Waits. Returns whether the time has elapsed; false if the signal aborted first. */
async function elapse(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  const end = clock.monotonic() + ms;
  for (let left = ms; left > 0 && !signal.aborted; left = end - clock.monotonic()) {
    await clock.sleep(Math.min(left, maxSleepMs), { signal });
  }
  return !signal.aborted;
}
