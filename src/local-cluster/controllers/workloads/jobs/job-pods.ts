import type { ApiScope } from "../../../api/call.ts";
import type { StoredPod } from "../../../pods/stored-object.ts";
import { dropFinalizer } from "../../controller.ts";
import { byDeletionPriority } from "../deletion-priority.ts";
import { addPod, removePod } from "../pods.ts";
import {
  component,
  hasValidIndex,
  indexAnnotation,
  indexOf,
  isIndexed,
  type JobObject,
  tracking,
} from "./job-object.ts";
import { decideFailure, isCounted } from "./pod-failure-policy.ts";

/** Annotation with the number of failed pods of an index. */
const failureCount = "batch.kubernetes.io/job-index-failure-count";

/** Annotation with the number of failed pods of an index that do not count. */
const ignoredCount = "batch.kubernetes.io/job-index-ignored-failure-count";

/** Maximum length of a generated name before its random suffix. */
const maxPrefixLength = 58;

/** Creates a pod of a job. @param index of an indexed job, and the failed pod of this index that it replaces */
export function createJobPod(
  api: ApiScope,
  job: JobObject,
  index: { readonly number: number; readonly replaced: StoredPod | undefined } | undefined,
): void {
  const { metadata, spec } = job;
  const finalizers = spec.template.metadata?.finalizers?.includes(tracking) ? [] : [tracking];
  const overrides =
    index === undefined
      ? { generateName: `${metadata.name}-`, finalizers }
      : { ...indexOverrides(job, index), finalizers };
  addPod(api, job, spec.template, { overrides, component });
}

function indexOverrides(
  job: JobObject,
  { number, replaced }: { readonly number: number; readonly replaced: StoredPod | undefined },
) {
  const { name } = job.metadata;
  const suffix = `-${number}-`;
  const { containers = [], initContainers } = job.spec.template.spec ?? { containers: [] };
  const counts = job.spec.backoffLimitPerIndex === undefined ? {} : nextFailureCounts(job, replaced);
  return {
    generateName: `${name.slice(0, maxPrefixLength - suffix.length)}${suffix}`,
    annotations: { [indexAnnotation]: String(number), ...counts },
    labels: { [indexAnnotation]: String(number) },
    spec: {
      hostname: `${name}-${number}`,
      containers: containers.map(withIndex),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withIndex) }),
    },
  };
}

function withIndex<T extends { env?: { name: string }[] }>(container: T): T {
  const name = "JOB_COMPLETION_INDEX";
  if (container.env?.some((variable) => variable.name === name)) return container;
  const variable = { name, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexAnnotation}']` } } };
  return { ...container, env: [...(container.env ?? []), variable] };
}

/** Returns the annotations with the failures of an index, including the failure of the replaced pod. */
function nextFailureCounts({ spec }: JobObject, replaced: StoredPod | undefined): Readonly<Record<string, string>> {
  if (replaced === undefined) return { [failureCount]: "0" };
  const counts = isCounted(decideFailure(spec.podFailurePolicy, replaced));
  const ignored = ignoredFailuresOf(replaced) + (counts ? 0 : 1);
  return {
    [failureCount]: String(failuresOf(replaced) + (counts ? 1 : 0)),
    ...(ignored > 0 && { [ignoredCount]: String(ignored) }),
  };
}

/** Returns how many pods of the same index failed before a pod and count. */
export function failuresOf({ metadata }: StoredPod): number {
  return Number(metadata.annotations?.[failureCount] ?? 0) || 0;
}

function ignoredFailuresOf({ metadata }: StoredPod): number {
  return Number(metadata.annotations?.[ignoredCount] ?? 0) || 0;
}

/** Returns how many pods of the same index failed before a pod. */
export function allFailuresOf(pod: StoredPod): number {
  return failuresOf(pod) + ignoredFailuresOf(pod);
}

/** Deletes a pod that the job no longer needs; it does not count as failed. */
export function discardPod(api: ApiScope, job: JobObject, pod: StoredPod): void {
  dropFinalizer(api, "pods", pod, tracking);
  removePod(api, job, pod, component);
}

/**
 * Chooses the active pods that a job does not need: those with a duplicate, invalid or missing index, then others up to a
 * minimum number.
 */
export function surplusPods(job: JobObject, active: readonly StoredPod[], min: number): readonly StoredPod[] {
  const kept = new Map<string | number, StoredPod>();
  const surplus: StoredPod[] = [];
  // The last pod of each index is the most advanced.
  for (const pod of [...active].sort(byDeletionPriority)) {
    if (isIndexed(job) && !hasValidIndex(job, pod)) {
      surplus.push(pod);
      continue;
    }
    const key = isIndexed(job) ? (indexOf(pod) ?? "") : pod.metadata.uid;
    const other = kept.get(key);
    if (other !== undefined) surplus.push(other);
    kept.set(key, pod);
  }
  const rest = [...kept.values()].sort(byDeletionPriority);
  return [...surplus, ...rest.slice(0, Math.max(0, min - surplus.length))];
}
