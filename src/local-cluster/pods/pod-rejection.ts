import { hasPortConflict } from "../../kube/host-ports.ts";
import { matchesNode } from "../../kube/node-requirements.ts";
import { isFinalPhase } from "../../kube/pod-phase.ts";
import type { NodeContext } from "./node-context.ts";
import { nodeName } from "./node-object.ts";
import { isNode, isPod, type StoredPod } from "./stored-object.ts";

/** Filter of the scheduler that the kubelet repeats for pods that were assigned to it without the scheduler. */
interface FailedFilter {
  readonly reason: "NodeAffinity" | "NodePorts";
  readonly detail: string;
}

/**
 * Fails a pod that the node cannot run, as the kubelet does when a pod arrives.
 *
 * @returns whether the pod was rejected
 */
export function rejectPod(context: NodeContext, pod: StoredPod, others: readonly StoredPod[]): boolean {
  const failed = failedFilter(context, pod, others);
  if (failed === undefined) return false;
  const { reason, detail } = failed;
  const message = `Predicate ${reason} failed: ${detail}`;
  context.events.record(pod, { type: "Warning", reason, message });
  const { uid, namespace, name, generation } = pod.metadata;
  context.store.update("pods", namespace, name, (current) => {
    if (current.metadata.uid !== uid || !isPod(current)) return current;
    const failure = { phase: "Failed", reason, message: `Pod was rejected: ${message}` };
    return {
      ...current,
      status: {
        ...current.status,
        ...failure,
        ...(generation === undefined ? {} : { observedGeneration: generation }),
      },
    };
  });
  return true;
}

function failedFilter({ store }: NodeContext, pod: StoredPod, others: readonly StoredPod[]): FailedFilter | undefined {
  const node = store.get("nodes", undefined, nodeName);
  if (node !== undefined && isNode(node) && !matchesNode(pod, node))
    return { reason: "NodeAffinity", detail: "node(s) didn't match Pod's node affinity/selector" };
  const active = others.filter(({ status }) => !isFinalPhase(status?.phase));
  if (hasPortConflict(pod.spec, active))
    return { reason: "NodePorts", detail: "node(s) didn't have free ports for the requested pod ports" };
  return undefined;
}
