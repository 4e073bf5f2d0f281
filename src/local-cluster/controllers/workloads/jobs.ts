import type { JobSpec } from "kubernetes-types/batch/v1.d.ts";
import type { ApiScope } from "../../api/call.ts";
import { isObject } from "../../api/json.ts";
import type { StoredObject } from "../../api/store.ts";
import { deleteObject, dropFinalizer } from "../controller.ts";
import { type JobObject, type JobStatus, jobOutcome, updateJobStatus } from "./job-status.ts";
import {
  addPod,
  isActive,
  isTerminated,
  isTerminating,
  ownObjects,
  phaseOf,
  podSetController,
  removePod,
} from "./pods.ts";

const component = "job-controller";

/** Finalizer of pods until their completion is counted. */
const tracking = "batch.kubernetes.io/job-tracking";

const indexAnnotation = "batch.kubernetes.io/job-completion-index";

const firstBackOffMs = 10_000;
const lastBackOffMs = 360_000;

/** Runs the pods of jobs until enough have succeeded or too many have failed. */
export const startJobs = podSetController<JobObject>({
  collection: "jobs.batch",
  kind: "Job",
  dependents: "pods",
  isOwn: isJob,
  reconcile(api, job, requeue) {
    const isDone = isTerminating(job) || jobOutcome(job) !== undefined;
    if (isDone) endLater(api, job, requeue);
    if (isDone) return;
    const { status, pods } = count(api, job);
    const outcome = updateJobStatus(api, job, status);
    if (outcome !== undefined || job.spec.suspend === true) {
      for (const pod of pods.filter(isActive)) remove(api, job, pod);
    } else run(api, { ...job, status }, requeue);
    const { activeDeadlineSeconds } = job.spec;
    if (outcome === undefined && activeDeadlineSeconds !== undefined) requeue(activeDeadlineSeconds * 1000);
  },
});

function isJob(object: StoredObject): object is JobObject {
  return object.kind === "Job" && isObject(object["spec"]);
}

/** Releases the pods of a finished job, and deletes the job after `ttlSecondsAfterFinished`. */
function endLater(api: ApiScope, job: JobObject, requeue: (delayMs: number) => void): void {
  for (const pod of ownObjects(api.store, "pods", job)) dropFinalizer(api, "pods", pod, tracking);
  const ended = jobOutcome(job)?.lastTransitionTime;
  const { ttlSecondsAfterFinished } = job.spec;
  if (isTerminating(job) || ttlSecondsAfterFinished === undefined || ended === undefined) return;
  const left = Date.parse(ended) + ttlSecondsAfterFinished * 1000 - api.clock.now();
  if (left > 0) requeue(left);
  else deleteObject(api, "jobs.batch", job);
}

/** Counts each finished pod once and releases it. */
function count(api: ApiScope, job: JobObject): { status: JobStatus; pods: readonly StoredObject[] } {
  const pods = ownObjects(api.store, "pods", job);
  const ended = pods.filter(
    (pod) => pod.metadata.finalizers?.includes(tracking) && (isTerminated(pod) || isTerminating(pod)),
  );
  const succeeded = ended.filter((pod) => phaseOf(pod) === "Succeeded");
  const before = job.status ?? {};
  const indexes = new Set([...indexesOf(before.completedIndexes), ...succeeded.map(indexOf)]);
  const isIndexed = job.spec.completionMode === "Indexed";
  const status = {
    ...before,
    succeeded: isIndexed ? indexes.size : (before.succeeded ?? 0) + succeeded.length,
    failed: (before.failed ?? 0) + ended.length - succeeded.length,
    ...(isIndexed && indexes.size > 0 ? { completedIndexes: printIndexes([...indexes]) } : {}),
  };
  for (const pod of ended) dropFinalizer(api, "pods", pod, tracking);
  return { status, pods };
}

function indexOf({ metadata }: StoredObject): number {
  return Number(metadata.annotations?.[indexAnnotation] ?? -1);
}

/** Parses `0-2,5`. */
function indexesOf(text = ""): number[] {
  return text.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    return part === "" ? [] : Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

function printIndexes(indexes: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  return runs.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(",");
}

function run(api: ApiScope, job: JobObject, requeue: (delayMs: number) => void): void {
  const { spec, status = {} } = job;
  const pods = ownObjects(api.store, "pods", job);
  const active = pods.filter(isActive);
  const waitMs = backOff(api, status.failed ?? 0, pods);
  const surplus = active.length - desiredPods(spec, status);
  for (const pod of active.slice(0, Math.max(0, surplus))) remove(api, job, pod);
  if (surplus < 0 && waitMs > 0) requeue(waitMs);
  if (surplus >= 0 || waitMs > 0) return;
  const taken = new Set([...active.map(indexOf), ...indexesOf(status.completedIndexes)]);
  for (let missing = -surplus; missing > 0; missing--) {
    const index = spec.completionMode === "Indexed" ? freeIndex(taken) : undefined;
    if (index !== undefined) taken.add(index);
    addPod(api, job, spec.template, { overrides: podOverrides(job, index), component });
  }
}

/** Calculates the number of pods that should run now. */
function desiredPods({ parallelism = 1, completions }: JobSpec, { succeeded = 0 }: JobStatus): number {
  // Without a number of completions, no pod is started after one has succeeded.
  if (completions === undefined) return succeeded > 0 ? 0 : parallelism;
  return Math.min(parallelism, completions - succeeded);
}

function freeIndex(taken: ReadonlySet<number>): number {
  let index = 0;
  while (taken.has(index)) index += 1;
  return index;
}

function podOverrides({ metadata, spec }: JobObject, index: number | undefined) {
  const finalizers = [tracking];
  if (index === undefined) return { generateName: `${metadata.name}-`, finalizers };
  const fieldRef = { fieldPath: `metadata.labels['${indexAnnotation}']` };
  const env = { name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef } };
  const withIndex = <T extends { env?: object[] }>(container: T) => ({
    ...container,
    env: [...(container.env ?? []), env],
  });
  const { containers = [], initContainers } = spec.template.spec ?? { containers: [] };
  return {
    ...{ generateName: `${metadata.name}-${index}-`, finalizers },
    annotations: { [indexAnnotation]: String(index) },
    labels: { [indexAnnotation]: String(index) },
    spec: {
      hostname: `${metadata.name}-${index}`,
      containers: containers.map(withIndex),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withIndex) }),
    },
  };
}

/** Calculates the exponential delay of the next pod after a failure. @returns ms */
function backOff({ clock }: ApiScope, failed: number, pods: readonly StoredObject[]): number {
  if (failed === 0) return 0;
  const ends = pods.filter((pod) => phaseOf(pod) === "Failed").map(endOf);
  const waitMs = Math.min(firstBackOffMs * 2 ** (failed - 1), lastBackOffMs);
  return ends.length === 0 ? 0 : Math.max(...ends) + waitMs - clock.now();
}

function endOf({ status, metadata }: StoredObject): number {
  const texts = [...JSON.stringify(status ?? {}).matchAll(/"finishedAt":"([^"]+)"/g)].map(([, text = ""]) => text);
  return Math.max(...[...texts, metadata.creationTimestamp ?? ""].map((text) => Date.parse(text) || 0));
}

function remove(api: ApiScope, job: JobObject, pod: StoredObject): void {
  dropFinalizer(api, "pods", pod, tracking);
  removePod(api, job, pod, component);
}
