import type { JobCondition, JobSpec, JobStatus } from "kubernetes-types/batch/v1.d.ts";
import { isObject } from "../../../api/json.ts";
import type { StoredObject } from "../../../api/store.ts";
import type { StoredPod } from "../../../pods/stored-object.ts";
import { isTerminating, type PodSet, phaseOf } from "../pods.ts";

/** A stored job. */
export interface JobObject extends PodSet {
  readonly spec: JobSpec;
  readonly status?: JobStatus;
}

/** Component of the controller's events. */
export const component = "job-controller";

/** Finalizer of pods until their completion is counted. */
export const tracking = "batch.kubernetes.io/job-tracking";

/** Annotation and label with the index of a pod. */
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";

/** Value of `managedBy` that means this controller. */
const ownName = "kubernetes.io/job-controller";

/** Whether an object of the collection `jobs.batch` is a job. */
export function isJob(object: StoredObject): object is JobObject {
  return object.kind === "Job" && isObject(object["spec"]);
}

/** Whether another controller is responsible for a job. */
export function isManagedByOther({ spec }: JobObject): boolean {
  return spec.managedBy !== undefined && spec.managedBy !== ownName;
}

export function isIndexed({ spec }: JobObject): boolean {
  return spec.completionMode === "Indexed";
}

/** Whether a pod still counts as running until it has finished, so terminating pods are not replaced. */
export function replacesOnlyFailed({ spec }: JobObject): boolean {
  return spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined;
}

/** Whether a pod has failed. */
export function isFailed(job: JobObject, pod: StoredPod): boolean {
  if (phaseOf(pod) === "Failed") return true;
  return !replacesOnlyFailed(job) && isTerminating(pod) && phaseOf(pod) !== "Succeeded";
}

/** Whether a pod is not yet counted. */
export function isTracked({ metadata }: StoredObject): boolean {
  return metadata.finalizers?.includes(tracking) === true;
}

/** Returns the index of a pod; `undefined` if it has none. */
export function indexOf({ metadata }: StoredObject): number | undefined {
  const text = metadata.annotations?.[indexAnnotation] ?? "";
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Whether a pod has an index that the job has to complete. */
export function hasValidIndex({ spec }: JobObject, pod: StoredObject): boolean {
  return (indexOf(pod) ?? Number.POSITIVE_INFINITY) < (spec.completions ?? 0);
}

/** Returns a condition that is true. */
export function findCondition(conditions: readonly JobCondition[] = [], name: string): JobCondition | undefined {
  return conditions.find(({ type, status }) => type === name && status === "True");
}

/** Returns the condition of a finished job; `undefined` while it runs. */
export function outcomeOf({ status }: JobObject): JobCondition | undefined {
  return findCondition(status?.conditions, "Complete") ?? findCondition(status?.conditions, "Failed");
}
