import type { ContainerStatus } from "kubernetes-types/core/v1.d.ts";
import type { StoredPod } from "../../../pods/stored-object.ts";

const firstBackOffMs = 10_000;
const lastBackOffMs = 600_000;

/** Failures of a job since its last successful pod. */
export interface FailureRecord {
  readonly count: number;
  /** Time of the last failure, in ms since 1970. */
  readonly lastMs: number;
}

/** Adds newly finished pods to a record. A success resets it. */
export function recordFailures(
  before: FailureRecord,
  { succeeded, failed }: { readonly succeeded: readonly StoredPod[]; readonly failed: readonly StoredPod[] },
): FailureRecord {
  const lastSuccess = Math.max(...succeeded.map(finishTime));
  const recent = failed.map(finishTime).filter((end) => end > lastSuccess);
  const count = recent.length + (succeeded.length === 0 ? before.count : 0);
  return { count, lastMs: recent.length === 0 ? before.lastMs : Math.max(...recent) };
}

/** Calculates how long the next pod must wait, in ms: exponential with the number of failures. */
export function remainingBackOff({ count, lastMs }: FailureRecord, now: number): number {
  if (count === 0) return 0;
  return Math.max(0, lastMs + Math.min(firstBackOffMs * 2 ** (count - 1), lastBackOffMs) - now);
}

/** Returns when a pod finished, in ms since 1970. Without times of its containers, other times are an approximation. */
export function finishTime({ metadata, spec, status }: StoredPod): number {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const isSidecar = ({ name }: ContainerStatus) => sidecars.some((container) => container.name === name);
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? []).filter(isSidecar)];
  const ends = statuses.map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ""));
  if (ends.length > 0 && ends.every((end) => end > 0)) return Math.max(...ends);
  const unready = status?.conditions?.find((condition) => condition.type === "Ready" && condition.status === "False");
  if (unready?.lastTransitionTime !== undefined) return Date.parse(unready.lastTransitionTime);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp = "" } = metadata;
  if (deletionTimestamp !== undefined) return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return Date.parse(creationTimestamp);
}
