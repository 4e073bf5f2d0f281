import type { Taint } from "kubernetes-types/core/v1.d.ts";
import type { Node } from "../../../kube/types.ts";
import type { StoredObject } from "../../api/store.ts";
import { isPod, type StoredPod } from "../../pods/stored-pod.ts";
import { type Controller, deleteObject } from "../controller.ts";
import { recordEvent } from "../create-object.ts";
import { tolerates } from "../scheduling/taints.ts";
import { disruptPod } from "./disrupt-pod.ts";

interface Eviction {
  /** Ms of the steady clock. */
  readonly startedMs: number;
  readonly due: number;
  readonly cancel: () => void;
}

const component = "taint-eviction-controller";

/**
 * Deletes pods from nodes whose taints (`NoExecute`) they do not tolerate, or no longer.
 *
 * Source: Kubernetes 1.35, pkg/controller/tainteviction.
 */
export const startTaintEviction: Controller = (api) => {
  const { store, clock } = api;
  const evictions = new Map<string, Eviction>();

  function reconcile(pod: StoredPod): void {
    const { uid, deletionTimestamp } = pod.metadata;
    const staysMs = deletionTimestamp === undefined ? toleratedMs(pod, taintsOf(pod)) : undefined;
    const planned = evictions.get(uid);
    if (staysMs === undefined) {
      if (deletionTimestamp === undefined && planned !== undefined)
        recordEviction(pod, "Cancelling deletion of Pod");
      forget(uid);
      return;
    }
    const startedMs = planned?.startedMs ?? clock.monotonic();
    const due = startedMs + staysMs;
    if (planned?.due === due) return;
    forget(uid);
    const cancel = clock.after(Math.max(0, due - clock.monotonic()), () => evict(pod));
    evictions.set(uid, { startedMs, due, cancel });
  }

  function evict({ metadata }: StoredPod): void {
    evictions.delete(metadata.uid);
    const pod = store.get("pods", metadata.namespace, metadata.name);
    if (pod === undefined || !isPod(pod) || pod.metadata.uid !== metadata.uid) return;
    recordEviction(pod, "Marking for deletion Pod");
    const message = "Taint manager: deleting due to NoExecute taint";
    disruptPod(api, pod, { reason: "DeletionByTaintManager", message });
    deleteObject(api, "pods", pod);
  }

  function recordEviction(pod: StoredPod, prefix: string): void {
    const message = `${prefix} ${pod.metadata.namespace}/${pod.metadata.name}`;
    recordEvent(api, pod, { type: "Normal", reason: "TaintManagerEviction", message, component });
  }

  function forget(uid: string): void {
    evictions.get(uid)?.cancel();
    evictions.delete(uid);
  }

  function taintsOf({ spec }: StoredPod): readonly Taint[] {
    const node = spec.nodeName === undefined ? undefined : store.get("nodes", undefined, spec.nodeName);
    const taints = node !== undefined && isNode(node) ? (node.spec?.taints ?? []) : [];
    return taints.filter(({ effect }) => effect === "NoExecute");
  }

  const stopListening = store.follow(({ type, collection, object }) => {
    if (collection === "nodes") {
      for (const pod of store.list("pods"))
        if (isPod(pod) && pod.spec.nodeName === object.metadata.name) reconcile(pod);
    } else if (collection === "pods" && isPod(object)) {
      if (type === "DELETED") forget(object.metadata.uid);
      else if (object.spec.nodeName !== undefined) reconcile(object);
    }
  });
  return () => {
    stopListening();
    for (const uid of [...evictions.keys()]) forget(uid);
  };
};

/** Returns how long a pod tolerates the taints, in ms; `undefined`: indefinitely. */
function toleratedMs(
  { spec: { tolerations = [] } }: StoredPod,
  taints: readonly Taint[],
): number | undefined {
  const used = taints.map((taint) => tolerations.filter((toleration) => tolerates(toleration, taint)));
  if (used.some((fitting) => fitting.length === 0)) return 0;
  const seconds = used.flat().flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  return seconds.length === 0 ? undefined : Math.max(0, Math.min(...seconds)) * 1000;
}

function isNode(object: StoredObject): object is StoredObject & Node {
  return object.kind === "Node";
}
