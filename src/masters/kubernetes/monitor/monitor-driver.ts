import type { Diagnosis } from "../../../diagnosis/diagnosis.ts";
import type { Issue } from "../../../errors/issue.ts";
import { abortSignalOf } from "../../../errors/stop-signal.ts";
import { isSubmitError } from "../../../errors/submit-error.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import { hasUploads } from "../../../plan/uploads-annotation.ts";
import type { DriverEnd } from "../watch/driver-end.ts";
import { latestPod } from "../watch/latest-pod.ts";
import { watchDriver } from "../watch/watch-driver.ts";
import { startDriverMonitor } from "./driver-monitor.ts";
import { driverTerminator, type Termination, type TerminationReason } from "./driver-terminator.ts";
import { enforceTimeLimits } from "./enforce-time-limits.ts";
import type { MonitorOptions } from "./monitor-options.ts";

/** How the waiting ended. */
export type DriverOutcome =
  | DriverEnd
  /** We ended the driver, or tried to. */
  | ({ readonly kind: "terminated"; readonly pod: Pod } & Termination)
  /** We were told to stop: the driver was deleted, or goes on without us. */
  | {
      readonly kind: "interrupted";
      readonly signal: "SIGINT" | "SIGTERM";
      readonly driver: "deleted" | "running";
      /** What refused to let it be deleted. */
      readonly left: readonly Issue[];
    };

/** The end, and the reason for it as far as one was found. */
export interface Accompanied {
  readonly end: DriverOutcome;
  readonly diagnosis: Diagnosis | undefined;
}

/**
 * Waits for a driver, and looks after it meanwhile: its limits, what is told of it, and what an interrupt does.
 *
 * @throws what `watchDriver` throws
 */
export async function monitorDriver(call: MonitorOptions): Promise<Accompanied> {
  const { host, client, log, interrupted, container, waitOptions } = call;
  const latest = latestPod(call.pod);
  const over = new AbortController();
  const ending = driverTerminator({ client, clock: host.clock, log, container, latest });
  let reason: Diagnosis | undefined;
  const terminate = async (why: TerminationReason) => {
    reason ??= company.trouble?.current();
    await ending.terminate(why);
    // From now on what befalls the driver is our own doing.
    if (ending.outcome() !== undefined) company.mute();
  };
  const company = startDriverMonitor({ ...call, latest, terminate, signal: over.signal });
  enforceTimeLimits(waitOptions, { clock: host.clock, container, latest, terminate, signal: over.signal });
  try {
    const end = await watchDriver({
      ...{ client, clock: host.clock, random: host.random, container, latest },
      ...{ app: call.app, pod: call.pod, traits: call.traits, behaviors: call.behaviors },
      log: company.log,
      reportIntervalMs: waitOptions.reportIntervalMs,
      reportsPhase: !company.hasStatusLine,
      stdout: waitOptions.logs === "none" ? undefined : company.stdout,
      drain: company.drain,
      signal: AbortSignal.any([abortSignalOf(interrupted.signal), ending.signal]),
    });
    company.mute();
    await ending.settled();
    const own = await ownEnd(call, end, ending.outcome());
    if (call.uploader !== undefined && hasUploads(call.pod) && hasEnded(own)) {
      const { removeUploadsAtEnd } = await import("../stage/uploads/remove-uploads.ts");
      await removeUploadsAtEnd({ ...call.uploader, client, log }, call.pod);
    }
    const isBad = ["failed", "deleted", "unknown"].includes(own.kind);
    const verdict = isBad
      ? await company.trouble?.finalDiagnosis({ isDeleted: own.kind === "deleted" })
      : undefined;
    return { end: own, diagnosis: own.kind === "terminated" ? reason : verdict };
  } finally {
    over.abort();
    ending.stop();
    company.stop();
  }
}

function hasEnded(end: DriverOutcome): boolean {
  return end.kind !== "unknown" && !(end.kind === "interrupted" && end.driver === "running");
}

/** The end as we brought it about, if we did. */
async function ownEnd(
  call: MonitorOptions,
  end: DriverEnd,
  terminated: Termination | undefined,
): Promise<DriverOutcome> {
  if (terminated !== undefined && end.kind !== "succeeded") {
    return { kind: "terminated", pod: end.pod, ...terminated };
  }
  const signal = call.interrupted.received();
  if (end.kind !== "unknown" || signal === undefined) return end;
  if (!call.waitOptions.killOnInterrupt) return { kind: "interrupted", signal, driver: "running", left: [] };
  const { namespace = "", name = "", uid } = end.pod.metadata ?? {};
  try {
    await call.client.delete({ type: resourceTypes.pod, namespace, name, ...(uid !== undefined && { uid }) });
    return { kind: "interrupted", signal, driver: "deleted", left: [] };
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    return { kind: "interrupted", signal, driver: "running", left: error.issues };
  }
}
