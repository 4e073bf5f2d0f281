import type { ErrorKind } from "../errors/error-code-entry.ts";
import { messageOf } from "../errors/message-of.ts";
import type { StopSignal } from "../errors/stop-signal.ts";
import { isSubmitError, type SubmitError } from "../errors/submit-error.ts";
import type { Pod } from "../kube/types.ts";
import { interruption } from "../masters/interruption.ts";
import { attach } from "../masters/kubernetes/attach.ts";
import { driverContainerOf, driverStatus } from "../masters/kubernetes/watch/driver-end.ts";
import type { KubernetesOutcome } from "../masters/submit-outcome.ts";
import { afterSubmission, decide } from "../spark-application/state/decide.ts";
import { type ApplicationStatus, type Decision, hasEnded, newStatus } from "../spark-application/state/status.ts";
import { type ApplicationRun, findDriverPod, submitRun } from "./application-run.ts";
import { deleteRun } from "./delete-run.ts";
import { driverRecord } from "./driver-record.ts";

/** End of an application that was followed. */
export interface FollowedApplication {
  readonly status: ApplicationStatus;
  /** Outcome of the last driver; `undefined` if there was none. */
  readonly outcome: KubernetesOutcome | undefined;
  /** Signal that ended the command before the application ended. */
  readonly interruptedBy: "SIGINT" | "SIGTERM" | undefined;
}

/** Functions that report what happens. */
export interface FollowReport {
  readonly onState: (text: string) => void;
  readonly onOutcome: (outcome: KubernetesOutcome) => void;
  /** Called for each submission that fails and can succeed later. */
  readonly onFailure: (error: SubmitError) => void;
}

/** Kinds of failures of a submission that its repetition cannot avoid. */
const permanent: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["usage", "setting", "template"]);

/**
 * Runs an application until it ends or is stopped, and repeats it as its restart policy says. An existing run of the same file is
 * continued.
 *
 * @throws SubmitError if the API cannot be reached, or if a repetition cannot avoid the failure of a submission
 */
export async function followApplication(run: ApplicationRun, report: FollowReport): Promise<FollowedApplication> {
  const { host, application } = run;
  let status = statusOfDriver(await findDriverPod(run));
  let outcome: KubernetesOutcome | undefined;
  const interrupted = interruption(host);
  const result = () => ({ status, outcome, interruptedBy: interrupted.received() });
  try {
    while (run.stopped?.aborted !== true) {
      const driver = await findDriverPod(run);
      const decision = decide(application.fields, status, { nowMs: host.clock.now(), driver: observe(driver) });
      const before = status;
      status = await perform(run, decision, { signal: interrupted.signal, report });
      reportState(run, report, { before, status, decision });
      if (interrupted.signal.aborted) break;
      if (decision.action === "deleteApplication" || isFinal(status, decision))
        return { status, outcome, interruptedBy: undefined };
      if (isRunning(status)) {
        const watched = await watchDriver(run, await findDriverPod(run));
        if (watched !== undefined) {
          outcome = watched;
          report.onOutcome(watched);
          if (watched.end.kind === "interrupted") return { ...result(), interruptedBy: watched.end.signal };
          continue;
        }
      }
      await host.clock.sleep(decision.againAfterMs ?? 0, { signal: interrupted.signal });
      if (interrupted.signal.aborted) break;
    }
    return result();
  } finally {
    interrupted.stop();
  }
}

/** Returns the status of an existing run; without one that of a new application. */
export function statusOfDriver(pod: Pod | undefined): ApplicationStatus {
  const record = pod === undefined ? undefined : driverRecord(pod);
  if (pod === undefined || record === undefined) return newStatus;
  const { submissionAttempts, executionAttempts } = record;
  const lastSubmissionMs = Date.parse(String(pod.metadata?.creationTimestamp ?? ""));
  return { ...newStatus, state: "SUBMITTED", submissionAttempts, executionAttempts, lastSubmissionMs };
}

/** Reads what decides about an application from its driver's pod. */
export function observe(pod: Pod | undefined) {
  if (pod === undefined) return undefined;
  const terminated = driverStatus(pod, driverContainerOf(pod))?.state?.terminated;
  return {
    phase: pod.status?.phase ?? "Pending",
    terminated:
      terminated === undefined ? undefined : { exitCode: terminated.exitCode, reason: terminated.reason ?? "" },
  };
}

async function perform(
  run: ApplicationRun,
  { action, status }: Decision,
  { signal, report }: { readonly signal: StopSignal; readonly report: FollowReport },
): Promise<ApplicationStatus> {
  if (action === "deleteDriver" || action === "deleteApplication") await deleteRun(run, { signal });
  return action === "submit" ? submitOnce(run, status, report) : status;
}

async function submitOnce(
  run: ApplicationRun,
  status: ApplicationStatus,
  { onFailure }: FollowReport,
): Promise<ApplicationStatus> {
  const { name, digest } = run.application;
  const record = {
    ...{ application: name, digest },
    submissionAttempts: status.submissionAttempts + 1,
    executionAttempts: status.executionAttempts + 1,
  };
  try {
    await submitRun(run, { record, waits: false });
    return afterSubmission(status, { nowMs: run.host.clock.now() }).status;
  } catch (error) {
    if (!isSubmitError(error) || permanent.has(error.kind)) throw error;
    if (error.code !== "SUBMIT_ERR_INTERRUPTED") onFailure(error);
    return afterSubmission(status, { nowMs: run.host.clock.now(), error: messageOf(error) }).status;
  }
}

function isRunning({ state }: ApplicationStatus): boolean {
  return state === "SUBMITTED" || state === "RUNNING" || state === "UNKNOWN";
}

/** Whether nothing will happen to an application any more: it has ended without a time to live, or is suspended. */
function isFinal(status: ApplicationStatus, decision: Decision): boolean {
  if (status.state === "SUSPENDED") return true;
  return hasEnded(status) && decision.status.state === status.state && decision.againAfterMs === undefined;
}

/** Waits until a driver ends, or cannot be watched. */
async function watchDriver(run: ApplicationRun, pod: Pod | undefined): Promise<KubernetesOutcome | undefined> {
  if (pod === undefined) return undefined;
  const { host, application, overrides, openClient, openEmbedded } = run;
  const commandLine = {
    propertiesFile: undefined,
    extraPropertiesFiles: [],
    loadsDefaults: false,
    supervise: false,
    ...overrides,
  };
  const id = `${application.namespace}:${application.podName}`;
  return attach({ host, commandLine, id, openClient, openEmbedded });
}

interface StateChange {
  readonly before: ApplicationStatus;
  readonly status: ApplicationStatus;
  readonly decision: Decision;
}

function reportState({ application }: ApplicationRun, { onState }: FollowReport, change: StateChange): void {
  const { before, status, decision } = change;
  const delayMs = decision.againAfterMs ?? 0;
  const next = delayMs >= 1000 && !isRunning(status) ? `; next decision in ${Math.round(delayMs / 1000)} s` : "";
  if (before.state === status.state && next === "") return;
  const reason = status.errorMessage === undefined ? "" : `: ${status.errorMessage}`;
  const attempts = `attempt ${status.submissionAttempts}`;
  onState(`${application.name} is ${status.state}, ${attempts}${reason}${next}`);
}
