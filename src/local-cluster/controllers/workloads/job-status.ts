import type { JobCondition, JobSpec, JobStatus as KnownStatus } from "kubernetes-types/batch/v1.d.ts";
import type { ApiScope } from "../../api/call.ts";
import { timestamp } from "../../api/timestamp.ts";
import { writeStatus } from "../create-object.ts";
import { isActive, isTerminated, isTerminating, ownObjects, type PodSet, readySince } from "./pods.ts";
import { counts } from "./replica-sets.ts";

const component = "job-controller";

export type JobStatus = Partial<KnownStatus> & { readonly ready?: number; readonly terminating?: number };

/** A stored job. */
export interface JobObject extends PodSet {
  readonly spec: JobSpec;
  readonly status?: JobStatus;
}

/** Returns the condition of a finished job; `undefined` while it runs. */
export function jobOutcome({ status }: JobObject): JobCondition | undefined {
  return status?.conditions?.find(
    ({ type, status: value }) => value === "True" && (type === "Complete" || type === "Failed"),
  );
}

/** Result of a job that has just finished. */
interface FinalResult {
  readonly isComplete: boolean;
  readonly reason: string;
  readonly message: string;
}

/** Updates a job's status. @param counted finished pods so far @returns the outcome if the job has just finished */
export function updateJobStatus(api: ApiScope, job: JobObject, counted: JobStatus): FinalResult | undefined {
  const now = timestamp(api.clock.now());
  const { conditions = [], completedIndexes, succeeded = 0, failed = 0 } = counted;
  const isSuspended = job.spec.suspend === true;
  const suspended = suspension(job, conditions, now);
  const isResumed = suspended !== undefined && suspended.lastTransitionTime === now && !isSuspended;
  const startTime = isResumed ? now : (counted.startTime ?? (isSuspended ? undefined : now));
  const started = startTime === undefined ? {} : { startTime };
  const pods = ownObjects(api.store, "pods", job);
  const active = pods.filter(isActive).length;
  const outcome = decideOutcome(api, job, { ...counted, active, ...started });
  const isRunning = outcome === undefined && !isSuspended;
  const nextConditions = [...(suspended === undefined ? [] : [suspended]), ...ending(outcome, now)];
  writeStatus(api, "jobs.batch", job, {
    ...started,
    ...(outcome?.isComplete === true ? { completionTime: now } : {}),
    // Pods that still run when a job fails are stopped and count as failed.
    ...counts({
      ...{ active: isRunning ? active : 0, succeeded },
      failed: outcome?.isComplete === false ? failed + active : failed,
    }),
    ...(completedIndexes === undefined ? {} : { completedIndexes }),
    terminating: pods.filter((pod) => isTerminating(pod) && !isTerminated(pod)).length,
    uncountedTerminatedPods: {},
    ready: isRunning ? pods.filter((pod) => isActive(pod) && readySince(pod) !== undefined).length : 0,
    ...(nextConditions.length === 0 ? {} : { conditions: nextConditions }),
  });
  if (suspended !== undefined && !conditions.includes(suspended)) {
    const reason = isSuspended ? "Suspended" : "Resumed";
    api.events.record(job, { type: "Normal", reason, message: suspended.message ?? "", component });
  }
  if (outcome !== undefined) recordOutcome(api, job, outcome);
  return outcome;
}

function decideOutcome(
  { clock }: ApiScope,
  { spec }: JobObject,
  status: JobStatus & { active: number },
): FinalResult | undefined {
  const { succeeded = 0, failed = 0, active, startTime } = status;
  const { completions, backoffLimit = 6, activeDeadlineSeconds } = spec;
  if (failed > backoffLimit) {
    const message = "Job has reached the specified backoff limit";
    return { isComplete: false, reason: "BackoffLimitExceeded", message };
  }
  const endsMs = Date.parse(startTime ?? "") + (activeDeadlineSeconds ?? Number.NaN) * 1000;
  if (clock.now() >= endsMs && spec.suspend !== true) {
    const message = "Job was active longer than specified deadline";
    return { isComplete: false, reason: "DeadlineExceeded", message };
  }
  const isComplete = completions === undefined ? succeeded > 0 && active === 0 : succeeded >= completions;
  const message = "Reached expected number of succeeded pods";
  return isComplete ? { isComplete, reason: "CompletionsReached", message } : undefined;
}

/** Returns the Suspended condition; `undefined` for a job that was never suspended. */
function suspension({ spec }: JobObject, before: readonly JobCondition[], now: string): JobCondition | undefined {
  const last = before.find(({ type }) => type === "Suspended");
  const status = spec.suspend === true ? "True" : "False";
  if (last?.status === status || (last === undefined && status === "False")) return last;
  const [reason, message] = spec.suspend === true ? ["JobSuspended", "Job suspended"] : ["JobResumed", "Job resumed"];
  return { type: "Suspended", status, lastProbeTime: now, lastTransitionTime: now, reason, message };
}

function ending(outcome: FinalResult | undefined, now: string): readonly JobCondition[] {
  if (outcome === undefined) return [];
  const { isComplete, reason, message } = outcome;
  const types = isComplete ? ["SuccessCriteriaMet", "Complete"] : ["FailureTarget", "Failed"];
  return types.map((type) => ({
    ...{ type, status: "True", lastProbeTime: now, lastTransitionTime: now, reason, message },
  }));
}

function recordOutcome(api: ApiScope, job: JobObject, { isComplete, reason, message }: FinalResult): void {
  const event = isComplete
    ? ({ type: "Normal", reason: "Completed", message: "Job completed" } as const)
    : ({ type: "Warning", reason, message } as const);
  api.events.record(job, { ...event, component });
}
