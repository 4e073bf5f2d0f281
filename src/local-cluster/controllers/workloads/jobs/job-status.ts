import type { JobCondition, JobStatus } from "kubernetes-types/batch/v1.d.ts";
import type { ApiScope } from "../../../api/call.ts";
import { timestamp } from "../../../api/timestamp.ts";
import { writeStatus } from "../../create-object.ts";
import { component, findCondition, type JobObject } from "./job-object.ts";
import type { JobResult } from "./job-result.ts";

/** Writes a job's status without the zeros and empty texts that Kubernetes omits. */
export function writeJobStatus(api: ApiScope, job: JobObject, status: JobStatus): void {
  const { active, succeeded, failed, completedIndexes, conditions = [], uncountedTerminatedPods, ...rest } = status;
  const { succeeded: uncountedSucceeded = [], failed: uncountedFailed = [] } = uncountedTerminatedPods ?? {};
  writeStatus(api, "jobs.batch", job, {
    ...rest,
    ...(active && { active }),
    ...(succeeded && { succeeded }),
    ...(failed && { failed }),
    ...(completedIndexes && { completedIndexes }),
    ...(conditions.length > 0 && { conditions }),
    uncountedTerminatedPods: {
      ...(uncountedSucceeded.length > 0 && { succeeded: uncountedSucceeded }),
      ...(uncountedFailed.length > 0 && { failed: uncountedFailed }),
    },
  });
}

/** Counts the terminated pods that have lost their finalizer. @param tracked uids of the pods that still have it */
export function settle(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const remaining = {
    succeeded: succeeded.filter((uid) => tracked.has(uid)),
    failed: failed.filter((uid) => tracked.has(uid)),
  };
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - remaining.succeeded.length,
    failed: (status.failed ?? 0) + failed.length - remaining.failed.length,
    uncountedTerminatedPods: remaining,
  };
}

/** Whether all terminated pods are counted. */
export function isSettled({ uncountedTerminatedPods: uncounted }: JobStatus): boolean {
  return (uncounted?.succeeded ?? []).length + (uncounted?.failed ?? []).length === 0;
}

/** Adds a condition that is true, unless the status has it. */
export function withCondition(
  status: JobStatus,
  condition: Pick<JobCondition, "type"> & Pick<JobResult, "reason" | "message">,
  now: number,
): JobStatus {
  if (findCondition(status.conditions, condition.type) !== undefined) return status;
  const others = (status.conditions ?? []).filter(({ type }) => type !== condition.type);
  return { ...status, conditions: [...others, { ...condition, status: "True", ...times(now) }] };
}

function times(ms: number) {
  return { lastProbeTime: timestamp(ms), lastTransitionTime: timestamp(ms) };
}

/** Updates the condition Suspended and, when a job resumes, its start time. Records an event of a change. */
export function withSuspension(api: ApiScope, job: JobObject, status: JobStatus): JobStatus {
  const isSuspended = job.spec.suspend === true;
  const last = status.conditions?.find(({ type }) => type === "Suspended");
  if ((last?.status === "True") === isSuspended) return status;
  const name = isSuspended ? "Suspended" : "Resumed";
  const message = `Job ${name.toLowerCase()}`;
  const now = api.clock.now();
  const value = isSuspended ? "True" : "False";
  const condition = { type: "Suspended", status: value, ...times(now), reason: `Job${name}`, message };
  api.events.record(job, { type: "Normal", reason: name, message, component });
  return {
    ...status,
    ...(isSuspended ? {} : { startTime: timestamp(now) }),
    conditions: replaceCondition(status.conditions, condition),
  };
}

function replaceCondition(conditions: readonly JobCondition[] = [], condition: JobCondition): JobCondition[] {
  const isKnown = conditions.some(({ type }) => type === condition.type);
  if (!isKnown) return [...conditions, condition];
  return conditions.map((one) => (one.type === condition.type ? condition : one));
}

/** Records the event of a finished job. */
export function recordResult(api: ApiScope, job: JobObject, { isComplete, reason, message }: JobResult): void {
  const record = (type: "Normal" | "Warning", reasonOfEvent: string, text: string) =>
    api.events.record(job, { type, reason: reasonOfEvent, message: text, component });
  if (!isComplete) {
    record("Warning", reason, message);
    return;
  }
  const { completions = Number.POSITIVE_INFINITY } = job.spec;
  if ((job.status?.succeeded ?? 0) > completions)
    record("Warning", "TooManySucceededPods", "Too many succeeded pods running after completion count reached");
  record("Normal", "Completed", "Job completed");
}
