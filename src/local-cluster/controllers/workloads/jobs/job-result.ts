import type { SuccessPolicy } from "kubernetes-types/batch/v1.d.ts";
import type { StoredPod } from "../../../pods/stored-object.ts";
import { phaseOf } from "../pods.ts";
import { type IndexSet, parseIndexes, sizeOf, sizeOfOverlap } from "./index-set.ts";
import { findCondition, isFailed, isIndexed, type JobObject } from "./job-object.ts";
import { decideFailure } from "./pod-failure-policy.ts";

/** Result of a job that ends. */
export interface JobResult {
  readonly isComplete: boolean;
  readonly reason: string;
  readonly message: string;
}

/** Progress of a job and its pods. */
export interface JobProgress {
  readonly pods: readonly StoredPod[];
  /** Number of failed pods that count. */
  readonly failed: number;
  readonly completedIndexes: IndexSet;
  readonly failedIndexes: IndexSet;
  /** Start of the job, in ms since 1970. */
  readonly startMs: number;
  readonly now: number;
}

/**
 * Decides whether a job ends before all its pods have succeeded.
 *
 * Source: Kubernetes 1.35, order of the job controller's checks.
 */
export function decideResult(job: JobObject, progress: JobProgress): JobResult | undefined {
  return (
    earlierResult(job) ??
    failureByPolicy(job, progress) ??
    failureByLimit(job, progress) ??
    failureByIndexes(job, progress) ??
    successByPolicy(job, progress)
  );
}

/** Returns the result that an earlier status announced. */
function earlierResult({ status }: JobObject): JobResult | undefined {
  const success = findCondition(status?.conditions, "SuccessCriteriaMet");
  const condition = success ?? findCondition(status?.conditions, "FailureTarget");
  if (condition === undefined) return undefined;
  const { reason = "", message = "" } = condition;
  return { isComplete: condition === success, reason, message };
}

function failure(reason: string, message: string): JobResult {
  return { isComplete: false, reason, message };
}

function failureByPolicy(job: JobObject, { pods }: JobProgress): JobResult | undefined {
  for (const pod of pods) {
    const { message } = isFailed(job, pod) ? decideFailure(job.spec.podFailurePolicy, pod) : {};
    if (message !== undefined) return failure("PodFailurePolicy", message);
  }
  return undefined;
}

function failureByLimit(job: JobObject, { pods, failed, startMs, now }: JobProgress): JobResult | undefined {
  const { backoffLimit = 6, activeDeadlineSeconds, suspend } = job.spec;
  if (failed > backoffLimit || exceedsRestarts(job, pods, backoffLimit))
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  const isLate = activeDeadlineSeconds !== undefined && now >= startMs + activeDeadlineSeconds * 1000;
  return isLate && suspend !== true
    ? failure("DeadlineExceeded", "Job was active longer than specified deadline")
    : undefined;
}

/** Whether containers of pods that restart them have failed too often. */
function exceedsRestarts({ spec }: JobObject, pods: readonly StoredPod[], limit: number): boolean {
  if (spec.template.spec?.restartPolicy !== "OnFailure") return false;
  const restarts = pods
    .filter((pod) => ["Running", "Pending"].includes(phaseOf(pod)))
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function failureByIndexes(job: JobObject, progress: JobProgress): JobResult | undefined {
  const { backoffLimitPerIndex, maxFailedIndexes, completions = 0 } = job.spec;
  if (!isIndexed(job) || backoffLimitPerIndex === undefined) return undefined;
  const failed = sizeOf(progress.failedIndexes);
  if (maxFailedIndexes !== undefined && failed > maxFailedIndexes) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return failure("MaxFailedIndexesExceeded", message);
  }
  const isDone = failed > 0 && failed + sizeOf(progress.completedIndexes) >= completions;
  return isDone ? failure("FailedIndexes", "Job has failed indexes") : undefined;
}

function successByPolicy(job: JobObject, { completedIndexes }: JobProgress): JobResult | undefined {
  const { successPolicy, completions = 0 } = job.spec;
  if (!isIndexed(job) || completedIndexes.length === 0) return undefined;
  const rule = (successPolicy?.rules ?? []).findIndex((one) => isSatisfied(one, completedIndexes, completions));
  return rule < 0
    ? undefined
    : { isComplete: true, reason: "SuccessPolicy", message: `Matched rules at index ${rule}` };
}

function isSatisfied(
  { succeededIndexes, succeededCount = Number.POSITIVE_INFINITY }: SuccessPolicy["rules"][number],
  completed: IndexSet,
  completions: number,
): boolean {
  if (succeededIndexes === undefined) return sizeOf(completed) >= succeededCount;
  const required = parseIndexes(succeededIndexes, completions);
  const met = sizeOfOverlap(required, completed);
  return required.length > 0 && (met === sizeOf(required) || met >= succeededCount);
}
