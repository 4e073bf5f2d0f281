import type { Diagnosis } from "../../../diagnosis/diagnosis.ts";
import { abortSignalOf } from "../../../errors/stop-signal.ts";
import { isSubmitError } from "../../../errors/submit-error.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import { requirePod } from "../../../kube-client/require-object.ts";
import { hasUploads } from "../../../plan/uploads-annotation.ts";
import type { DriverEnd, DriverOutcome, Termination, TerminationReason } from "../../submit-outcome.ts";
import { latestPod, type WatchedPod } from "../watch/latest-pod.ts";
import { watchDriver } from "../watch/watch-driver.ts";
import { type DriverMonitor, type MonitorOptions, startDriverMonitor } from "./driver-monitor.ts";
import { driverTerminator } from "./driver-terminator.ts";
import { enforceTimeLimits } from "./enforce-time-limits.ts";

/**
 * Waits for a driver. Meanwhile enforces its time limits, reports its problems and progress, and handles interrupts.
 *
 * @throws the errors of `watchDriver`
 */
export async function monitorDriver(
  call: MonitorOptions,
): Promise<{ readonly end: DriverOutcome; readonly diagnosis: Diagnosis | undefined }> {
  const { host, client, log, container, interrupted, waitOptions } = call;
  const { clock, random } = host;
  const latest = latestPod(requirePod(client, call.pod));
  const done = new AbortController();
  const watched: WatchedPod = { client, clock, random, log, latest, container, signal: done.signal };
  const terminator = driverTerminator(watched);
  let reason: Diagnosis | undefined;
  const terminate = async (why: TerminationReason) => {
    reason ??= monitor.diagnosis?.current();
    await terminator.terminate(why);
    // Later problems of the driver are effects of its deletion.
    if (terminator.outcome() !== undefined) monitor.mute();
  };
  const monitor = startDriverMonitor({ ...call, watched, terminate });
  enforceTimeLimits(waitOptions, watched, terminate);
  const left = new AbortController();
  const leave = () => left.abort();
  try {
    call.onWait?.({ client, driver: call.pod, stdout: monitor.stdout, log: monitor.log, leave });
    const end = await watchDriver({
      ...{ ...call, ...watched, ...monitor, reportIntervalMs: waitOptions.reportIntervalMs },
      stdout: waitOptions.logs === "none" ? undefined : monitor.stdout,
      signal: AbortSignal.any([abortSignalOf(interrupted.signal), terminator.signal, left.signal]),
    });
    monitor.mute();
    await terminator.settled();
    const outcome = await decideOutcome(call, end, terminator.outcome());
    await removeUploads(call, outcome);
    const diagnosis = outcome.kind === "terminated" ? reason : await diagnose(monitor, outcome);
    await (await monitor.archive)?.write(outcome);
    return { end: outcome, diagnosis };
  } finally {
    done.abort();
    terminator.stop();
    monitor.stop();
  }
}

async function removeUploads({ client, log, pod, uploader }: MonitorOptions, outcome: DriverOutcome) {
  if (uploader === undefined || !hasUploads(pod) || !hasEnded(outcome)) return;
  const { removeUploadsAtEnd } = await import("../stage/uploads/remove-uploads.ts");
  await removeUploadsAtEnd({ ...uploader, client, log }, pod);
}

function hasEnded(outcome: DriverOutcome): boolean {
  return outcome.kind !== "unknown" && !(outcome.kind === "interrupted" && outcome.driver === "running");
}

async function diagnose({ diagnosis }: DriverMonitor, { kind }: DriverOutcome) {
  if (kind === "succeeded") await diagnosis?.warnAtSuccess();
  if (!["failed", "deleted", "unknown"].includes(kind)) return undefined;
  return diagnosis?.finalDiagnosis({ isDeleted: kind === "deleted" });
}

/** Decides the outcome. After an interrupt, deletes the driver if the options require it. */
async function decideOutcome(
  call: MonitorOptions,
  end: DriverEnd,
  termination: Termination | undefined,
): Promise<DriverOutcome> {
  if (termination !== undefined && end.kind !== "succeeded") {
    return { kind: "terminated", pod: end.pod, ...termination };
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
