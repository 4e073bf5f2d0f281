import type { Host } from "../../host/host.ts";
import type { Node } from "../../kube/types.ts";
import type { StoredObject } from "../api/store.ts";
import { timestamp } from "../api/timestamp.ts";
import type { ApiScope } from "../api/verbs/call.ts";
import { isPod, type StoredPod } from "../pods/stored-pod.ts";
import { deleteObject } from "./controller.ts";
import { recordEvent } from "./create-object.ts";

/** What the control plane does about a node that it does not hear of. */
export interface NodeLoss {
  /** It was not heard of for too long. */
  readonly notice: () => void;
  /** It is heard of again. */
  readonly forgive: () => void;
  /** Its object is gone: so are its pods. */
  readonly collect: () => void;
  readonly stop: () => void;
}

/** How often pods are looked at whose time on a lost node is over. */
const roundMs = 1000;

const unreachable = "node.kubernetes.io/unreachable";
const component = "node-controller";

/**
 * The parts of the controller manager that watch over nodes: life cycle, taint eviction and the collection of pods.
 *
 * Source: Kubernetes 1.35, pkg/controller/nodelifecycle, tainteviction and podgc.
 */
export function nodeLoss(api: ApiScope, clock: Host["clock"], nodeName: string): NodeLoss {
  const { store } = api;
  let cancel = () => {};
  let lostAt = 0;

  const pods = () =>
    store
      .list("pods")
      .filter(isPod)
      .filter(({ spec }) => spec.nodeName === nodeName);

  function evictDue(): void {
    for (const pod of pods()) {
      const staysMs = stayMs(pod);
      const isDue = pod.metadata.deletionTimestamp === undefined && clock.now() >= lostAt + staysMs;
      if (isDue) evict(pod);
    }
    cancel = clock.after(roundMs, evictDue);
  }

  function evict(pod: StoredPod): void {
    const { namespace, name } = pod.metadata;
    const message = "Taint manager: deleting due to NoExecute taint";
    disrupt(pod, { reason: "DeletionByTaintManager", message });
    const event = `Marking for deletion Pod ${namespace}/${name}`;
    recordEvent(api, pod, {
      ...{ type: "Normal", reason: "TaintManagerEviction", message: event },
      component: "taint-eviction-controller",
    });
    deleteObject(api, "pods", pod);
  }

  function disrupt(pod: StoredPod, why: { reason: string; message: string }, phase?: "Failed"): void {
    const condition = {
      ...{ type: "DisruptionTarget", status: "True", ...why },
      ...{ lastProbeTime: null, lastTransitionTime: timestamp(clock.now()) },
    };
    store.update("pods", pod.metadata.namespace, pod.metadata.name, (current) =>
      isPod(current) && current.metadata.uid === pod.metadata.uid
        ? {
            ...current,
            status: {
              ...current.status,
              ...(phase === undefined ? {} : { phase }),
              conditions: [
                ...(current.status?.conditions ?? []).filter(({ type }) => type !== condition.type),
                condition,
              ],
            },
          }
        : current,
    );
  }

  function markNotReady(pod: StoredPod): void {
    store.update("pods", pod.metadata.namespace, pod.metadata.name, (current) =>
      isPod(current) ? { ...current, status: withoutReadiness(current, timestamp(clock.now())) } : current,
    );
    const message = "Node is not ready";
    recordEvent(api, pod, { type: "Warning", reason: "NodeNotReady", message, component });
  }

  return {
    notice() {
      cancel();
      lostAt = clock.now();
      const now = timestamp(lostAt);
      const node = store.update("nodes", undefined, nodeName, (current) => unheard(current, now));
      if (node === undefined) return;
      const message = `Node ${nodeName} status is now: NodeNotReady`;
      recordEvent(api, node, { type: "Normal", reason: "NodeNotReady", message, component });
      for (const pod of pods()) markNotReady(pod);
      evictDue();
    },
    forgive() {
      cancel();
      store.update("nodes", undefined, nodeName, withoutTaints);
    },
    collect() {
      cancel();
      for (const pod of pods()) {
        const { namespace, name } = pod.metadata;
        const isOver = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
        const why = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };
        if (!isOver) disrupt(pod, why, "Failed");
        store.remove("pods", namespace, name);
      }
    },
    stop: () => cancel(),
  };
}

/** How long a pod may stay on a node that is not reached, in ms; for ever where it tolerates that without end. */
function stayMs({ spec }: StoredPod): number {
  const fitting = (spec.tolerations ?? []).filter(
    ({ key, operator = "Equal", effect, value = "" }) =>
      (effect === undefined || effect === "NoExecute") &&
      (key === undefined || key === "" ? operator === "Exists" : key === unreachable) &&
      (operator === "Exists" || value === ""),
  );
  if (fitting.length === 0) return 0;
  const seconds = fitting.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  return seconds.length === 0 ? Number.POSITIVE_INFINITY : Math.max(0, Math.min(...seconds)) * 1000;
}

function isNode(object: StoredObject): object is StoredObject & Node {
  return object.kind === "Node";
}

function unheard(node: StoredObject, now: string): unknown {
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
