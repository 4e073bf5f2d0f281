import type { ApiScope } from "../../api/call.ts";
import type { StoredObject } from "../../api/store.ts";
import { timestamp } from "../../api/timestamp.ts";
import { ownPods } from "../../pods/node-context.ts";
import { nodeName } from "../../pods/node-object.ts";
import { isNode, isPod, type StoredPod } from "../../pods/stored-object.ts";
import { collectPod } from "./pod-collection.ts";

/** Reaction of the control plane to an unreachable node. */
export interface NodeLoss {
  /** Marks the node as unreachable. */
  readonly markUnreachable: () => void;
  /** Removes the taints of an unreachable node. */
  readonly markReachable: () => void;
  /** Deletes the pods of a deleted node. */
  readonly deletePods: () => void;
}

const unreachable = "node.kubernetes.io/unreachable";
const component = "node-controller";

/**
 * Creates the node controllers' reactions: node lifecycle and pod garbage collection.
 *
 * Source: Kubernetes 1.35, pkg/controller/nodelifecycle and podgc.
 */
export function nodeLoss(api: ApiScope): NodeLoss {
  const { store, clock, events } = api;

  function markNotReady(pod: StoredPod): void {
    store.update("pods", pod.metadata.namespace, pod.metadata.name, (current) =>
      isPod(current) ? { ...current, status: withoutReadiness(current, timestamp(clock.now())) } : current,
    );
    events.record(pod, { type: "Warning", reason: "NodeNotReady", message: "Node is not ready", component });
  }

  return {
    markUnreachable() {
      const now = timestamp(clock.now());
      const node = store.update("nodes", undefined, nodeName, (current) => withUnknownStatus(current, now));
      if (node === undefined) return;
      const message = `Node ${nodeName} status is now: NodeNotReady`;
      events.record(node, { type: "Normal", reason: "NodeNotReady", message, component });
      for (const pod of ownPods(store)) markNotReady(pod);
    },
    markReachable() {
      store.update("nodes", undefined, nodeName, withoutTaints);
    },
    deletePods() {
      for (const pod of ownPods(store)) collectPod(api, pod);
    },
  };
}

function withUnknownStatus(node: StoredObject, now: string): unknown {
  if (!isNode(node)) return node;
  const conditions = (node.status?.conditions ?? []).map((condition) => ({
    ...condition,
    ...{ status: "Unknown", reason: "NodeStatusUnknown", lastTransitionTime: now },
    message: "Kubelet stopped posting node status.",
  }));
  const others = (node.spec?.taints ?? []).filter(({ key }) => key !== unreachable);
  const taints = (["NoSchedule", "NoExecute"] as const).map((effect) => ({
    ...{ key: unreachable, effect, timeAdded: now },
  }));
  const status = { ...node.status, conditions };
  return { ...node, spec: { ...node.spec, taints: [...others, ...taints] }, status };
}

function withoutTaints(node: StoredObject): unknown {
  if (!isNode(node)) return node;
  const { taints = [], ...spec } = node.spec ?? {};
  const rest = taints.filter(({ key }) => key !== unreachable);
  return { ...node, spec: rest.length === 0 ? spec : { ...spec, taints: rest } };
}

function withoutReadiness({ status = {} }: StoredPod, now: string): unknown {
  const conditions = (status.conditions ?? []).map((condition) =>
    condition.type === "Ready" && condition.status === "True"
      ? { ...condition, status: "False", lastTransitionTime: now }
      : condition,
  );
  return { ...status, conditions };
}
