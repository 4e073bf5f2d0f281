import { hasPortConflict } from "../../../kube/host-ports.ts";
import { matchesNode } from "../../../kube/node-requirements.ts";
import { isRepelled } from "../../../kube/taints.ts";
import type { StoredNode, StoredPod } from "../../pods/stored-object.ts";
import { affinityFailure } from "./pod-affinity.ts";
import { resourceFailure, type Sharing } from "./resource-fit.ts";
import { type NodeRejection, resolvable, type SchedulingView, unresolvable } from "./scheduling-view.ts";
import { spreadingFailure } from "./spreading.ts";
import { claimProblem, volumeFailure } from "./volume-fit.ts";

/** Selected node of a pod, or the scheduler's message, and its addition if no pods can be preempted. */
type Placement = { readonly node: string } | { readonly problem: string; readonly preemption: string };

/**
 * Finds the node with the fewest pods among those that take the pod.
 *
 * Source: Kubernetes 1.35's scheduler: its filters in their order, and the message of the first that rejects a
 * node.
 */
export function findNode(view: SchedulingView, pod: StoredPod, sharing: Sharing): Placement {
  const { nodes, store } = view;
  if (nodes.length === 0) return { problem: "no nodes available to schedule pods", preemption: "" };
  const all = `0/${nodes.length} nodes are available:`;
  const problem = claimProblem(store, pod);
  if (problem !== undefined) return { problem: `${all} ${problem}. not found`, preemption: "" };
  const tried = nodes.map((node) => ({ node, rejection: nodeRejection(view, pod, { node, ...sharing }) }));
  const fitting = tried.filter(({ rejection }) => rejection === undefined).map(({ node }) => node);
  const [best] = fitting.sort((a, b) => countOn(view, a) - countOn(view, b));
  if (best !== undefined) return { node: best.metadata.name };
  const rejections = tried.flatMap(({ rejection }) => rejection ?? []);
  const reasons = counted(rejections.flatMap((rejection) => rejection.reasons));
  const preemption = counted(
    rejections.map(({ isResolvable }) =>
      isResolvable ? "No preemption victims found for incoming pod" : "Preemption is not helpful for scheduling",
    ),
  );
  return {
    problem: `${all} ${reasons}.`,
    preemption: ` no new claims to deallocate, preemption: ${all} ${preemption}.`,
  };
}

function countOn({ placed }: SchedulingView, { metadata }: StoredNode): number {
  return placed.on(metadata.name).pods.size;
}

/** Returns the failure of the first filter that rejects a node. */
export function nodeRejection(
  view: SchedulingView,
  pod: StoredPod,
  { node, overcommits }: { readonly node: StoredNode } & Sharing,
): NodeRejection | undefined {
  const { unschedulable, taints = [] } = node.spec ?? {};
  if (unschedulable === true && isRepelled(pod, [cordonTaint])) return unresolvable("node(s) were unschedulable");
  if (isRepelled(pod, taints)) return unresolvable("node(s) had untolerated taint(s)");
  if (!matchesNode(pod, node)) return unresolvable("node(s) didn't match Pod's node affinity/selector");
  if (hasPortConflict(pod.spec, view.placed.on(node.metadata.name).pods.values()))
    return resolvable("node(s) didn't have free ports for the requested pod ports");
  return (
    resourceFailure(view, pod, { node, overcommits }) ??
    volumeFailure(view, pod, node) ??
    spreadingFailure(view, pod, node) ??
    affinityFailure(view, pod, node)
  );
}

/** Applies to a cordoned node even before the node has it. */
const cordonTaint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Counts reasons, sorted by text: `2 Insufficient cpu, 1 node(s) were unschedulable`. */
function counted(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
}
