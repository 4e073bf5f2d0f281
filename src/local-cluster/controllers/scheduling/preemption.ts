import type { StoredNode, StoredPod } from "../../pods/stored-object.ts";
import { nodeRejection } from "./find-node.ts";
import { changedPods } from "./placed-pods.ts";
import type { Sharing } from "./resource-fit.ts";
import type { SchedulingView } from "./scheduling-view.ts";

/** Pods that must leave a node so that a pod of higher priority fits there. */
interface Preemption {
  readonly node: string;
  readonly victims: readonly StoredPod[];
}

/** Returns a pod's priority, which admission has set. */
export function priorityOf({ spec }: StoredPod): number {
  return spec.priority ?? 0;
}

/**
 * Finds the node where a pod fits after the least important pods were deleted; `undefined` if there is none, or if the pod waits for
 * pods that it preempted.
 *
 * Source: Kubernetes 1.35's scheduler, default preemption. Does not consider disruption budgets.
 */
export function findPreemption(view: SchedulingView, pod: StoredPod, sharing: Sharing): Preemption | undefined {
  if (pod.spec.preemptionPolicy === "Never" || waitsForVictims(view, pod)) return undefined;
  const candidates = view.nodes.flatMap((node): Preemption[] => {
    if (nodeRejection(view, pod, { node, ...sharing })?.isResolvable !== true) return [];
    const victims = victimsOn(view, pod, { node, ...sharing });
    return victims.length === 0 ? [] : [{ node: node.metadata.name, victims }];
  });
  const [best] = candidates.sort((a, b) => compareCosts(costOf(a), costOf(b)));
  return best;
}

/** Returns whether pods of lower priority are still terminating on the node that was reserved for a pod. */
function waitsForVictims({ placed }: SchedulingView, pod: StoredPod): boolean {
  const node = pod.status?.nominatedNodeName ?? "";
  const others = node === "" ? [] : [...placed.on(node).pods.values()];
  return others.some((other) => isLower(other, pod) && other.metadata.deletionTimestamp !== undefined);
}

/** Lists the pods of a node to delete, as few and as unimportant as possible; none if the pod does not fit even without them. */
function victimsOn(
  view: SchedulingView,
  pod: StoredPod,
  { node, ...sharing }: { readonly node: StoredNode } & Sharing,
): readonly StoredPod[] {
  const fitsWithout = (removed: readonly StoredPod[]) =>
    nodeRejection({ ...view, placed: changedPods(view.placed, { removed }) }, pod, { node, ...sharing }) === undefined;
  const lower = [...view.placed.on(node.metadata.name).pods.values()]
    .filter((other) => isLower(other, pod))
    .sort((a, b) => priorityOf(b) - priorityOf(a) || startOf(a).localeCompare(startOf(b)));
  if (!fitsWithout(lower)) return [];
  return lower.reduce<readonly StoredPod[]>((victims, candidate) => {
    const fewer = victims.filter((victim) => victim !== candidate);
    return fitsWithout(fewer) ? fewer : victims;
  }, lower);
}

function isLower(other: StoredPod, pod: StoredPod): boolean {
  return priorityOf(other) < priorityOf(pod);
}

function startOf({ status, metadata }: StoredPod): string {
  return status?.startTime ?? metadata.creationTimestamp ?? "";
}

/** Highest priority of the victims, sum of their priorities, and their number. */
function costOf({ victims }: Preemption): readonly number[] {
  const priorities = victims.map(priorityOf);
  // Priorities may be negative, but a further victim must not lower the sum.
  const sum = priorities.reduce((total, priority) => total + priority + 2 ** 31, 0);
  return [Math.max(...priorities), sum, victims.length];
}

function compareCosts(a: readonly number[], b: readonly number[]): number {
  return a.map((cost, index) => cost - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
