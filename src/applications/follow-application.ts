import type { ErrorKind } from "../errors/error-code-entry.ts";
import { messageOf } from "../errors/message-of.ts";
import { abortSignalOf, type StopSignal } from "../errors/stop-signal.ts";
import { hasCode, isSubmitError, type SubmitError } from "../errors/submit-error.ts";
import { isFinalPhase } from "../kube/pod-phase.ts";
import type { Pod } from "../kube/types.ts";
import { interruption } from "../masters/interruption.ts";
import type { KubernetesOutcome } from "../masters/submit-outcome.ts";
import { backoff } from "../net/backoff.ts";
import { afterSubmission, decide } from "../spark-application/state/decide.ts";
import { type ApplicationStatus, type Decision, hasEnded, newStatus } from "../spark-application/state/status.ts";
import { type ApplicationRun, findDriverPod, submitRun } from "./application-run.ts";
import { attachRun } from "./attach-run.ts";
import { deleteRun } from "./delete-run.ts";
import { observe, statusOfRun } from "./driver-status.ts";
import { isTemporary } from "./is-temporary.ts";

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

/** Shortest time between two waits for a driver whose end is not known. */
const minDelayMs = 1_000;

/** State of a followed application. */
interface Follower {
  readonly run: ApplicationRun;
  readonly report: FollowReport;
  readonly signal: StopSignal;
  /** `undefined` before the first decision. */
  status: ApplicationStatus | undefined;
  outcome: KubernetesOutcome | undefined;
  /** Driver whose end was seen, and that no decision has used. A list of pods may not show its end yet. */
  endedDriver: Pod | undefined;
}

/**
 * Runs an application until it ends or is stopped, and repeats it as its restart policy says. An existing run of the same file is
 * continued; one of a changed file is replaced. Calls of the API that can succeed later are repeated without limit.
 *
 * @throws SubmitError if the API rejects a call, or if a repetition cannot avoid the failure of a submission
 */
export async function followApplication(run: ApplicationRun, report: FollowReport): Promise<FollowedApplication> {
  const { host, application } = run;
  const interrupted = interruption(host);
  const { signal } = interrupted;
  const follower: Follower = {
    ...{ run, report, signal },
    ...{ status: undefined, outcome: undefined, endedDriver: undefined },
  };
  const delay = backoff(host.clock, host.random);
  const end = (interruptedBy: FollowedApplication["interruptedBy"]) => ({
    status: follower.status ?? newStatus,
    outcome: follower.outcome,
    interruptedBy,
  });
  try {
    while (run.stopped?.aborted !== true && !signal.aborted) {
      try {
        const againAfterMs = await decideOnce(follower);
        if (againAfterMs === "ended") return end(undefined);
        await host.clock.sleep(againAfterMs, { signal });
      } catch (error) {
        if (!isTemporary(error)) throw error;
        report.onState(`${application.name}: ${messageOf(error)}; trying again`);
        await delay.wait(abortSignalOf(signal));
      }
    }
    return end(interrupted.received());
  } finally {
    interrupted.stop();
  }
}

/** Makes one decision, and waits for a driver that runs after it. @returns the time until the next decision, in ms */
async function decideOnce(follower: Follower): Promise<number | "ended"> {
  const { run, report, signal } = follower;
  const { application, host } = run;
  const seen = follower.endedDriver;
  const driver = seen ?? (await findDriverPod(run));
  follower.endedDriver = undefined;
  const before = follower.status ?? statusOfRun(driver, application);
  // The log, the cause and the exit code of a driver that ended before the first wait are not reported yet.
  if (seen === undefined && isRunning(before) && isFinalPhase(driver?.status?.phase)) {
    follower.status = before;
    return waitForDriver(follower);
  }
  const decision = decide(application.fields, before, { nowMs: host.clock.now(), driver: observe(driver) });
  const status = await perform(run, decision, { signal, report });
  follower.status = status;
  reportState(run, report, { before, status, decision });
  if (signal.aborted) return 0;
  if (decision.action === "deleteApplication" || isFinal(status, decision)) return "ended";
  const exists = driver !== undefined || decision.action === "submit";
  if (exists && isRunning(status)) return waitForDriver(follower);
  return decision.againAfterMs ?? 0;
}

/** Waits until the driver ends, or cannot be watched. @returns the time until the next decision, in ms */
async function waitForDriver(follower: Follower): Promise<number> {
  const { run, report } = follower;
  let outcome: KubernetesOutcome;
  try {
    outcome = await attachRun(run);
  } catch (error) {
    // It was deleted since it was listed.
    if (hasCode(error, "SUBMIT_ERR_DRIVER_MISSING")) return minDelayMs;
    throw error;
  }
  follower.outcome = outcome;
  report.onOutcome(outcome);
  const { end } = outcome;
  if (!("pod" in end) || !isFinalPhase(end.pod.status?.phase)) return minDelayMs;
  follower.endedDriver = end.pod;
  return 0;
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
  const attempts = status.submissionAttempts === 0 ? "" : `, attempt ${status.submissionAttempts}`;
  onState(`${application.name} is ${status.state}${attempts}${reason}${next}`);
}
