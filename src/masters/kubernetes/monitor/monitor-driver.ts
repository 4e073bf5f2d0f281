import type { Diagnosis } from "../../../diagnosis/diagnosis.ts";
import { abortSignalOf } from "../../../errors/stop-signal.ts";
import { isSubmitError } from "../../../errors/submit-error.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import { hasUploads } from "../../../plan/uploads-annotation.ts";
import type { DriverEnd, DriverOutcome, Termination, TerminationReason } from "../../submit-outcome.ts";
import { type LatestPod, latestPod } from "../watch/latest-pod.ts";
import { watchDriver } from "../watch/watch-driver.ts";
import { type DriverMonitor, startDriverMonitor } from "./driver-monitor.ts";
import { type DriverTerminator, driverTerminator } from "./driver-terminator.ts";
import { enforceTimeLimits } from "./enforce-time-limits.ts";
import type { MonitorOptions } from "./monitor-options.ts";

/** Outcome with its diagnosis, if there is one. */
export interface MonitorResult {
  readonly end: DriverOutcome;
  readonly diagnosis: Diagnosis | undefined;
}

/** A driver that is being monitored. */
interface MonitoredDriver {
  readonly call: MonitorOptions;
  readonly latest: LatestPod;
  readonly terminator: DriverTerminator;
  readonly monitor: DriverMonitor;
}

/**
 * Waits for a driver. Meanwhile enforces its time limits, reports its problems and progress, and handles interrupts.
 *
 * @throws the errors of `watchDriver`
 */
export async function monitorDriver(call: MonitorOptions): Promise<MonitorResult> {
  const { host, client, log, container, waitOptions } = call;
  const { clock } = host;
  const latest = latestPod(call.pod);
  const done = new AbortController();
  const terminator = driverTerminator({ client, clock, log, container, latest });
  let reason: Diagnosis | undefined;
  const terminate = async (why: TerminationReason) => {
    reason ??= monitor.diagnosis?.current();
    await terminator.terminate(why);
    // Later problems of the driver are effects of its deletion.
    if (terminator.outcome() !== undefined) monitor.mute();
  };
  const monitor = startDriverMonitor({ ...call, latest, terminate, signal: done.signal });
  enforceTimeLimits(waitOptions, { clock, container, latest, terminate, signal: done.signal });
  const driver = { call, latest, terminator, monitor };
  try {
    const end = await waitForEnd(driver);
    monitor.mute();
    await terminator.settled();
    const outcome = await decideOutcome(call, end, terminator.outcome());
    await removeUploads(call, outcome);
    return {
      end: outcome,
      diagnosis: outcome.kind === "terminated" ? reason : await diagnose(driver, outcome),
    };
  } finally {
    done.abort();
    terminator.stop();
    monitor.stop();
  }
}

function waitForEnd({ call, latest, terminator, monitor }: MonitoredDriver): Promise<DriverEnd> {
  const { host, client, container, interrupted, waitOptions } = call;
  const { reportsPhase, reportsPodState, drain } = monitor;
  return watchDriver({
    ...{ client, clock: host.clock, random: host.random, container, latest },
    ...{ app: call.app, pod: call.pod, traits: call.traits, behaviors: call.behaviors },
    ...{ log: monitor.log, reportsPhase, reportsPodState, drain },
    reportIntervalMs: waitOptions.reportIntervalMs,
    stdout: waitOptions.logs === "none" ? undefined : monitor.stdout,
    signal: AbortSignal.any([abortSignalOf(interrupted.signal), terminator.signal]),
  });
}

async function removeUploads({ client, log, pod, uploader }: MonitorOptions, outcome: DriverOutcome) {
  if (uploader === undefined || !hasUploads(pod) || !hasEnded(outcome)) return;
  const { removeUploadsAtEnd } = await import("../stage/uploads/remove-uploads.ts");
  await removeUploadsAtEnd({ ...uploader, client, log }, pod);
}

function hasEnded(outcome: DriverOutcome): boolean {
  return outcome.kind !== "unknown" && !(outcome.kind === "interrupted" && outcome.driver === "running");
}

async function diagnose({ monitor }: MonitoredDriver, { kind }: DriverOutcome) {
  if (!["failed", "deleted", "unknown"].includes(kind)) return undefined;
  return monitor.diagnosis?.finalDiagnosis({ isDeleted: kind === "deleted" });
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
