import type { JobStatus } from "kubernetes-types/batch/v1.d.ts";
import type { ApiScope } from "../../../api/call.ts";
import { timestamp } from "../../../api/timestamp.ts";
import { isPod, type StoredPod } from "../../../pods/stored-object.ts";
import { dropFinalizer } from "../../controller.ts";
import { claimObjects } from "../adoption.ts";
import { isActive, isTerminated, isTerminating, ownObjects, phaseOf, readySince, removePod } from "../pods.ts";
import { type FailureRecord, finishTime, recordFailures, remainingBackOff } from "./back-off.ts";
import {
  firstMissing,
  hasIndex,
  type IndexSet,
  parseIndexes,
  printIndexes,
  sizeOf,
  unite,
  withIndexes,
} from "./index-set.ts";
import {
  component,
  hasValidIndex,
  indexOf,
  isFailed,
  isIndexed,
  isTracked,
  type JobObject,
  replacesOnlyFailed,
  tracking,
} from "./job-object.ts";
import { allFailuresOf, createJobPod, discardPod, failuresOf, surplusPods } from "./job-pods.ts";
import { decideResult, type JobResult } from "./job-result.ts";
import { isSettled, recordResult, settle, withCondition, withSuspension, writeJobStatus } from "./job-status.ts";
import { decideFailure, isCounted } from "./pod-failure-policy.ts";

/** Maximum number of pods created in one reconciliation. */
const maxCreations = 500;

/** State of one reconciliation of a job. */
interface JobSync {
  readonly api: ApiScope;
  readonly job: JobObject;
  readonly requeue: (delayMs: number) => void;
  readonly pods: readonly StoredPod[];
  readonly active: readonly StoredPod[];
  readonly failures: FailureRecord;
  /** Number of succeeded pods, or of completed indexes. */
  readonly succeeded: number;
  readonly completedIndexes: IndexSet;
  readonly failedIndexes: IndexSet;
  status: JobStatus;
  result: JobResult | undefined;
}

/** Reconciles a job that has not finished. @returns the failures since its last successful pod */
export function syncJob(
  api: ApiScope,
  job: JobObject,
  { failures, requeue }: { readonly failures: FailureRecord; readonly requeue: (delayMs: number) => void },
): FailureRecord {
  const sync = startSync(api, job, { failures, requeue });
  try {
    if (sync.result !== undefined) for (const pod of sync.active) removePod(api, job, pod, component);
    else if (!isTerminating(job)) manage(sync);
  } finally {
    if (sync.result === undefined) decideCompletion(sync);
    track(sync);
  }
  return sync.failures;
}

function startSync(
  api: ApiScope,
  job: JobObject,
  { failures, requeue }: Pick<JobSync, "failures" | "requeue">,
): JobSync {
  const now = api.clock.now();
  const { completions = 0, suspend, activeDeadlineSeconds } = job.spec;
  const pods = claimObjects(api, job, { collection: "pods", finalizer: tracking }).filter(isPod);
  const before = job.status ?? {};
  const startTime = before.startTime ?? (suspend === true ? undefined : timestamp(now));
  const status = { ...before, ...(startTime !== undefined && { startTime }) };
  const uncounted = before.uncountedTerminatedPods ?? {};
  const fresh = pods.filter((pod) => isTracked(pod) && (!isIndexed(job) || hasValidIndex(job, pod)));
  const newlySucceeded = fresh.filter(
    (pod) => phaseOf(pod) === "Succeeded" && !uncounted.succeeded?.includes(pod.metadata.uid),
  );
  const newlyFailed = fresh.filter((pod) => isFailed(job, pod) && !uncounted.failed?.includes(pod.metadata.uid));
  const counted = newlyFailed.filter((pod) => isCounted(decideFailure(job.spec.podFailurePolicy, pod)));
  const completedIndexes = withIndexes(
    parseIndexes(before.completedIndexes, completions),
    fresh.filter((pod) => phaseOf(pod) === "Succeeded").map((pod) => indexOf(pod) ?? 0),
  );
  const failedIndexes = withIndexes(
    parseIndexes(before.failedIndexes, completions),
    fresh.filter((pod) => isIndexFailed(job, pod)).map((pod) => indexOf(pod) ?? 0),
  );
  const failed = (before.failed ?? 0) + counted.length + (uncounted.failed ?? []).length;
  const startMs = Date.parse(startTime ?? "");
  const progress = { pods, failed, completedIndexes, failedIndexes, startMs, now };
  const result = decideResult(job, progress);
  if (result === undefined && activeDeadlineSeconds !== undefined && suspend !== true)
    requeue(Math.max(0, startMs + activeDeadlineSeconds * 1000 - now));
  return {
    ...{ api, job, requeue, pods, active: pods.filter(isActive), status, result },
    ...{ completedIndexes, failedIndexes },
    failures: recordFailures(failures, { succeeded: newlySucceeded, failed: newlyFailed }),
    succeeded: isIndexed(job)
      ? sizeOf(completedIndexes)
      : (before.succeeded ?? 0) + newlySucceeded.length + (uncounted.succeeded ?? []).length,
  };
}

/** Whether no more pods are started for the index of a failed pod. */
function isIndexFailed(job: JobObject, pod: StoredPod): boolean {
  const { backoffLimitPerIndex, podFailurePolicy } = job.spec;
  if (backoffLimitPerIndex === undefined || !isFailed(job, pod)) return false;
  const decision = decideFailure(podFailurePolicy, pod);
  return decision.action === "FailIndex" || (isCounted(decision) && failuresOf(pod) >= backoffLimitPerIndex);
}

/** Creates missing pods or deletes those that are not needed. */
function manage(sync: JobSync): void {
  const { api, job, active, succeeded, pods } = sync;
  const { parallelism = 1, completions, suspend } = job.spec;
  // Without a number of completions, no pod is started after one has succeeded.
  const untilSuccess = succeeded > 0 ? active.length : parallelism;
  const needed = completions === undefined ? untilSuccess : Math.min(parallelism, completions - succeeded);
  const desired = suspend === true ? 0 : Math.max(0, needed);
  const surplus = surplusPods(job, active, Math.max(0, active.length - desired)).slice(0, maxCreations);
  for (const pod of surplus) discardPod(api, job, pod);
  if (surplus.length > 0) return;
  const terminating = replacesOnlyFailed(job) ? pods.filter(isStopping).length : 0;
  const missing = Math.min(desired - terminating - active.length, maxCreations);
  if (missing > 0) addPods(sync, missing);
}

function isStopping(pod: StoredPod): boolean {
  return isTerminating(pod) && !isTerminated(pod);
}

function addPods(sync: JobSync, count: number): void {
  const { api, job, requeue } = sync;
  const now = api.clock.now();
  const isPerIndex = job.spec.backoffLimitPerIndex !== undefined;
  const waitMs = isPerIndex ? 0 : remainingBackOff(sync.failures, now);
  if (waitMs > 0) requeue(waitMs);
  else if (!isIndexed(job)) for (let left = count; left > 0; left--) createJobPod(api, job, undefined);
  else {
    const replaced = isPerIndex ? lastFailedPods(sync) : new Map<number, StoredPod>();
    for (const index of pendingIndexes(sync, count)) {
      const last = replaced.get(index);
      const count = last === undefined ? 0 : allFailuresOf(last) + 1;
      const indexWaitMs = remainingBackOff({ count, lastMs: last === undefined ? 0 : finishTime(last) }, now);
      if (indexWaitMs > 0) requeue(indexWaitMs);
      else createJobPod(api, job, { number: index, replaced: last });
    }
  }
}

function pendingIndexes({ job, active, pods, completedIndexes, failedIndexes }: JobSync, count: number): number[] {
  const stopping = replacesOnlyFailed(job) ? pods.filter(isStopping) : [];
  const used = [...active, ...stopping].flatMap((pod) => indexOf(pod) ?? []);
  return firstMissing(unite(withIndexes(completedIndexes, used), failedIndexes), job.spec.completions ?? 0, count);
}

/** Returns the last failed pod of each index that must be restarted. Its successor continues to count its failures. */
function lastFailedPods({ job, pods, active, completedIndexes, failedIndexes }: JobSync): Map<number, StoredPod> {
  const running = new Set(active.map(indexOf));
  const last = new Map<number, StoredPod>();
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index === undefined || !isTracked(pod) || !isFailed(job, pod) || !hasValidIndex(job, pod)) continue;
    if (hasIndex(completedIndexes, index) || hasIndex(failedIndexes, index) || running.has(index)) continue;
    const other = last.get(index);
    const isLater =
      other === undefined || (allFailuresOf(other) <= allFailuresOf(pod) && finishTime(pod) >= finishTime(other));
    if (isLater) last.set(index, pod);
  }
  return last;
}

function decideCompletion(sync: JobSync): void {
  const { api, job, succeeded } = sync;
  const { completions } = job.spec;
  const active = ownObjects(api.store, "pods", job).filter(isActive).length;
  const isComplete = active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
  if (isComplete) {
    const message = "Reached expected number of succeeded pods";
    sync.result = { isComplete, reason: "CompletionsReached", message };
  } else if (!isTerminating(job)) sync.status = withSuspension(api, job, sync.status);
}

/**
 * Counts finished pods and releases them. The status first lists them as uncounted: a cluster that is killed between the writes counts
 * none of them twice.
 */
function track(sync: JobSync): void {
  const { api, job, result } = sync;
  const now = api.clock.now();
  const uids = () =>
    new Set(
      ownObjects(api.store, "pods", job)
        .filter(isTracked)
        .map(({ metadata }) => metadata.uid),
    );
  const remaining = uids();
  sync.status = settle(sync.status, remaining);
  const delayed = job.spec.backoffLimitPerIndex === undefined ? [] : [...lastFailedPodsNow(sync).values()];
  const isDelayed = ({ metadata }: StoredPod) => delayed.some((pod) => pod.metadata.uid === metadata.uid);
  // As of the start: pods that the job itself has deleted meanwhile did not fail.
  const released = sync.pods.filter((pod) => {
    if (!remaining.has(pod.metadata.uid)) return false;
    if (isTerminating(job) || result !== undefined || phaseOf(pod) === "Succeeded") return true;
    return isFailed(job, pod) && !isDelayed(pod);
  });
  announce(sync, released);
  if (released.length > 0 || result !== undefined) writeJobStatus(api, job, sync.status);
  for (const pod of released) dropFinalizer(api, "pods", pod, tracking);
  sync.status = { ...settle(sync.status, uids()), ...podCounts(sync) };
  const isFinished = result !== undefined && isSettled(sync.status) && sync.status.terminating === 0;
  if (isFinished) {
    const { isComplete, reason, message } = result;
    sync.status = withCondition(sync.status, { type: isComplete ? "Complete" : "Failed", reason, message }, now);
    if (isComplete) sync.status = { ...sync.status, completionTime: timestamp(now) };
  }
  writeJobStatus(api, job, sync.status);
  if (isFinished) recordResult(api, { ...job, status: sync.status }, result);
}

/** Returns the last failed pods whose successor does not exist yet. */
function lastFailedPodsNow(sync: JobSync): Map<number, StoredPod> {
  const pods = ownObjects(sync.api.store, "pods", sync.job).filter(isPod);
  return lastFailedPods({ ...sync, pods, active: pods.filter(isActive) });
}

/** Adds released pods to the status as uncounted, and the condition that announces the result. */
function announce(sync: JobSync, released: readonly StoredPod[]): void {
  const { job, result } = sync;
  const { succeeded = [], failed = [] } = sync.status.uncountedTerminatedPods ?? {};
  const isFailure = result?.isComplete === false;
  const isKnown = ({ metadata }: StoredPod) => succeeded.includes(metadata.uid) || failed.includes(metadata.uid);
  const finished = released.filter((pod) => !isKnown(pod) && (!isIndexed(job) || hasValidIndex(job, pod)));
  const newlySucceeded = finished.filter((pod) => phaseOf(pod) === "Succeeded");
  const newlyFailed = finished.filter(
    (pod) =>
      phaseOf(pod) !== "Succeeded" &&
      (isFailed(job, pod) || isFailure) &&
      isCounted(decideFailure(job.spec.podFailurePolicy, pod)),
  );
  const uids = (pods: readonly StoredPod[]) => pods.map(({ metadata }) => metadata.uid);
  const uncounted = {
    succeeded: isIndexed(job) ? succeeded : [...succeeded, ...uids(newlySucceeded)],
    failed: [...failed, ...uids(newlyFailed)],
  };
  sync.status = { ...sync.status, uncountedTerminatedPods: uncounted, ...indexStatus(sync) };
  if (result === undefined) return;
  const { isComplete, reason, message } = result;
  const type = isComplete ? "SuccessCriteriaMet" : "FailureTarget";
  sync.status = withCondition(sync.status, { type, reason, message }, sync.api.clock.now());
}

function indexStatus({ job, completedIndexes, failedIndexes }: JobSync): JobStatus {
  if (!isIndexed(job)) return {};
  return {
    succeeded: sizeOf(completedIndexes),
    completedIndexes: printIndexes(completedIndexes),
    ...(job.spec.backoffLimitPerIndex !== undefined && { failedIndexes: printIndexes(failedIndexes) }),
  };
}

function podCounts({ api, job }: JobSync): JobStatus {
  const pods = ownObjects(api.store, "pods", job);
  const active = pods.filter(isActive);
  return {
    active: active.length,
    ready: active.filter((pod) => readySince(pod) !== undefined).length,
    terminating: pods.filter((pod) => isTerminating(pod) && !isTerminated(pod)).length,
  };
}
