import type { JobSpec, JobStatus } from "kubernetes-types/batch/v1.d.ts";
import { isSame } from "../../json.ts";
import { duplicate, type FieldError, invalidPart, invalidValue, required } from "../../validation/field-error.ts";
import { negativeCounts } from "../../validation/status-counts.ts";
import { checkIndexes, overlapFault } from "./job-indexes.ts";

interface JobWithStatus {
  readonly spec: JobSpec;
  readonly status: JobStatus;
}

/** A status and its last state: most rules apply only to what changes. */
interface StatusChange {
  readonly spec: JobSpec;
  readonly status: JobStatus;
  readonly old: JobStatus;
  readonly is: Flags;
  readonly was: Flags;
}

/** Conditions that are true. */
interface Flags {
  readonly complete: boolean;
  readonly failed: boolean;
  readonly failureTarget: boolean;
  readonly successCriteriaMet: boolean;
}

function flagsOf({ conditions = [] }: JobStatus): Flags {
  const isTrue = (name: string) => conditions.some(({ type, status }) => type === name && status === "True");
  return {
    complete: isTrue("Complete"),
    failed: isTrue("Failed"),
    failureTarget: isTrue("FailureTarget"),
    successCriteriaMet: isTrue("SuccessCriteriaMet"),
  };
}

/**
 * Returns the errors of a job's status that a client writes.
 *
 * Source: Kubernetes 1.35, ValidateJobStatusUpdate with the options of the registry.
 */
export function jobStatusErrors({ spec, status }: JobWithStatus, { status: old }: JobWithStatus): FieldError[] {
  const change = { spec, status, old, is: flagsOf(status), was: flagsOf(old) };
  return [
    ...negativeCounts(status, ["active", "succeeded", "failed", "ready", "terminating"]),
    ...uncountedErrors(status),
    ...conditionErrors(change),
    ...timeErrors(change),
    ...finishErrors(change),
    ...indexErrors(change),
    ...regressionErrors(change),
  ];
}

function uncountedErrors({ uncountedTerminatedPods = {} }: JobStatus): FieldError[] {
  const path = "status.uncountedTerminatedPods";
  const seen = new Set<string>();
  return (["succeeded", "failed"] as const).flatMap((list) =>
    (uncountedTerminatedPods[list] ?? []).flatMap((uid, index) => {
      const field = `${path}.${list}[${index}]`;
      if (uid === "") return [invalidValue(field, uid, "must not be empty")];
      if (seen.has(uid)) return [duplicate(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

function conditionErrors({ spec, is, was }: StatusChange): FieldError[] {
  const changed = (name: keyof Flags) => is[name] !== was[name];
  const rules: readonly (readonly [boolean, string])[] = [
    [
      (changed("complete") || changed("failed")) && is.complete && is.failed,
      "cannot set Complete=True and Failed=true conditions",
    ],
    [
      (changed("complete") || changed("failureTarget")) && is.complete && is.failureTarget,
      "cannot set Complete=True and FailureTarget=true conditions",
    ],
    [
      changed("failed") && is.failed && !is.failureTarget,
      "cannot set Failed=True condition without the FailureTarget=true condition",
    ],
    [
      (changed("complete") || changed("successCriteriaMet")) && is.complete && !is.successCriteriaMet,
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    ],
    [is.successCriteriaMet && is.failed, "cannot set SuccessCriteriaMet=True and Failed=true conditions"],
    [is.successCriteriaMet && is.failureTarget, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"],
    [
      spec.successPolicy !== undefined && !is.successCriteriaMet && is.complete,
      "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
    ],
    [was.failed && !is.failed, "cannot disable the terminal Failed=True condition"],
    [was.complete && !is.complete, "cannot disable the terminal Complete=True condition"],
    [was.failureTarget && !is.failureTarget, "cannot disable the terminal FailureTarget=True condition"],
    [was.successCriteriaMet && !is.successCriteriaMet, "cannot disable the SuccessCriteriaMet=True condition"],
    [
      was.complete && !was.successCriteriaMet && is.successCriteriaMet,
      "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, text]) => invalidPart("status.conditions", text));
}

function timeErrors({ status, old, is, was }: StatusChange): FieldError[] {
  const { startTime, completionTime } = status;
  const field = "status.completionTime";
  const isEndChanged = completionTime !== old.completionTime;
  const isCompletionChanged = isEndChanged || is.complete !== was.complete;
  const isEarly = Date.parse(completionTime ?? "") < Date.parse(startTime ?? "");
  return [
    ...(isCompletionChanged && completionTime !== undefined && !is.complete
      ? [invalidValue(field, completionTime, "cannot set completionTime when there is no Complete=True condition")]
      : []),
    ...(isCompletionChanged && completionTime === undefined && is.complete
      ? [required(field, "completionTime is required for Complete jobs")]
      : []),
    ...((isEndChanged || startTime !== old.startTime) && isEarly
      ? [invalidValue(field, completionTime, "must be equal to or after `startTime`")]
      : []),
    ...(completionTime !== undefined && old.completionTime !== undefined && isEndChanged
      ? [invalidValue(field, completionTime, "field is immutable")]
      : []),
  ];
}

function finishErrors({ spec, status, old, is, was }: StatusChange): FieldError[] {
  const { active = 0, terminating = 0, ready, startTime, uncountedTerminatedPods: uncounted } = status;
  const isFinished = is.complete || is.failed;
  const isNew = isFinished !== (was.complete || was.failed);
  const changed = (name: "active" | "terminating" | "ready" | "startTime") => isNew || status[name] !== old[name];
  const isEmpty = spec.suspend === true && spec.completions === 0;
  const hasUncounted = (uncounted?.failed ?? []).length + (uncounted?.succeeded ?? []).length > 0;
  const field = "status.uncountedTerminatedPods";
  const shown = { Succeeded: uncounted?.succeeded ?? null, Failed: uncounted?.failed ?? null };
  return [
    ...(changed("active") && active > 0 && isFinished
      ? [invalidValue("status.active", active, "active>0 is invalid for finished job")]
      : []),
    ...(changed("startTime") && !isEmpty && startTime === undefined && isFinished
      ? [required("status.startTime", "startTime is required for finished job")]
      : []),
    ...((isNew || !isSame(uncounted, old.uncountedTerminatedPods)) && isFinished && hasUncounted
      ? [invalidValue(field, shown, "must be empty for finished job")]
      : []),
    ...(changed("terminating") && terminating > 0 && isFinished
      ? [invalidValue("status.terminating", terminating, "terminating>0 is invalid for finished job")]
      : []),
    ...((ready !== old.ready || active !== (old.active ?? 0)) && (ready ?? 0) > active
      ? [invalidValue("status.ready", ready, "cannot set more ready pods than active")]
      : []),
  ];
}

function indexErrors({ spec, status, old }: StatusChange): FieldError[] {
  const { completedIndexes = "", failedIndexes } = status;
  const isCompletedChanged = completedIndexes !== (old.completedIndexes ?? "");
  const isFailedChanged = failedIndexes !== old.failedIndexes;
  const limit = spec.completions ?? Number.POSITIVE_INFINITY;
  const completedFault = isCompletedChanged ? checkIndexes(completedIndexes, limit).fault : undefined;
  const hasLimit = spec.backoffLimitPerIndex !== undefined;
  const failedFault = isFailedChanged && hasLimit ? checkIndexes(failedIndexes ?? "", limit).fault : undefined;
  const overlap =
    isCompletedChanged || isFailedChanged ? overlapFault(completedIndexes, failedIndexes ?? "", limit) : undefined;
  const error = (name: "completedIndexes" | "failedIndexes", fault: string) =>
    invalidValue(`status.${name}`, status[name], fault);
  return [
    ...(completedFault === undefined
      ? []
      : [error("completedIndexes", `error parsing completedIndexes: ${completedFault}`)]),
    ...(failedFault === undefined ? [] : [error("failedIndexes", `error parsing failedIndexes: ${failedFault}`)]),
    ...(isCompletedChanged && completedIndexes !== "" && spec.completionMode !== "Indexed"
      ? [error("completedIndexes", "cannot set non-empty completedIndexes when non-indexed completion mode")]
      : []),
    ...(isFailedChanged && !hasLimit && failedIndexes !== undefined
      ? [error("failedIndexes", "cannot set non-null failedIndexes when backoffLimitPerIndex is null")]
      : []),
    ...(overlap === undefined ? [] : [error("failedIndexes", overlap)]),
  ];
}

function regressionErrors({ spec, status, old }: StatusChange): FieldError[] {
  const isScaled = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  const { failed = 0, succeeded = 0, startTime } = status;
  const isSuspended = ({ conditions = [] }: JobStatus, value: string) =>
    conditions.some((one) => one.type === "Suspended" && one.status === value);
  const isResuming = isSuspended(old, "True") && isSuspended(status, "False");
  return [
    ...(failed < (old.failed ?? 0)
      ? [invalidValue("status.failed", failed, "cannot decrease the failed counter")]
      : []),
    ...(!isScaled && succeeded < (old.succeeded ?? 0)
      ? [invalidValue("status.succeeded", succeeded, "cannot decrease the succeeded counter")]
      : []),
    ...(old.startTime !== undefined && startTime !== old.startTime && spec.suspend !== true && !isResuming
      ? [required("status.startTime", "startTime cannot be removed for unsuspended job")]
      : []),
  ];
}
