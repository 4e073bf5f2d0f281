import type { Taint } from "kubernetes-types/core/v1.d.ts";
import { tolerates } from "../../../kube/taints.ts";
import type { ApiScope } from "../../api/call.ts";
import { disruptPod } from "../../api/pod-condition.ts";
import type { StoreEvent } from "../../api/store.ts";
import { isNode, isPod, type StoredPod } from "../../pods/stored-object.ts";
import { type Controller, deleteObject } from "../controller.ts";

/** A planned eviction; times in ms of the monotonic clock. */
interface Eviction {
  readonly startedMs: number;
  readonly dueMs: number;
  readonly cancel: () => void;
}

const component = "taint-eviction-controller";

interface EvictionState {
  readonly api: ApiScope;
  /** Planned evictions, by the pod's uid. */
  readonly evictions: Map<string, Eviction>;
}

/**
 * Deletes pods from nodes whose `NoExecute` taints they do not tolerate, or no longer.
 *
 * Source: Kubernetes 1.35, pkg/controller/tainteviction.
 */
export const startTaintEviction: Controller = (api) => {
  const state: EvictionState = { api, evictions: new Map() };
  const stopListening = api.store.follow((event) => handleEvent(state, event));
  return () => {
    stopListening();
    for (const uid of [...state.evictions.keys()]) cancelEviction(state, uid);
  };
};

function handleEvent(state: EvictionState, { type, collection, object }: StoreEvent): void {
  if (collection === "nodes") {
    for (const pod of state.api.store.list("pods"))
      if (isPod(pod) && pod.spec.nodeName === object.metadata.name) planEviction(state, pod);
  } else if (collection === "pods" && isPod(object)) {
    if (type === "DELETED") cancelEviction(state, object.metadata.uid);
    else if (object.spec.nodeName !== undefined) planEviction(state, object);
  }
}

/** Plans, changes or cancels the eviction of a pod. */
function planEviction(state: EvictionState, pod: StoredPod): void {
  const { api, evictions } = state;
  const { uid, deletionTimestamp } = pod.metadata;
  const isTerminating = deletionTimestamp !== undefined;
  const stayMs = isTerminating ? undefined : toleratedMs(pod, taintsOf(api, pod));
  const planned = evictions.get(uid);
  if (stayMs === undefined) {
    if (!isTerminating && planned !== undefined) recordEviction(api, pod, "Cancelling deletion of Pod");
    cancelEviction(state, uid);
    return;
  }
  const { clock } = api;
  const startedMs = planned?.startedMs ?? clock.monotonic();
  const dueMs = startedMs + stayMs;
  if (planned?.dueMs === dueMs) return;
  cancelEviction(state, uid);
  const cancel = clock.after(Math.max(0, dueMs - clock.monotonic()), () => evict(state, pod));
  evictions.set(uid, { startedMs, dueMs, cancel });
}

function cancelEviction({ evictions }: EvictionState, uid: string): void {
  evictions.get(uid)?.cancel();
  evictions.delete(uid);
}

function evict({ api, evictions }: EvictionState, { metadata }: StoredPod): void {
  evictions.delete(metadata.uid);
  const pod = api.store.get("pods", metadata.namespace, metadata.name);
  if (pod === undefined || !isPod(pod) || pod.metadata.uid !== metadata.uid) return;
  recordEviction(api, pod, "Marking for deletion Pod");
  const message = "Taint manager: deleting due to NoExecute taint";
  disruptPod(api.store, pod, { reason: "DeletionByTaintManager", message, now: api.clock.now() });
  deleteObject(api, "pods", pod);
}

function recordEviction(api: ApiScope, pod: StoredPod, prefix: string): void {
  const message = `${prefix} ${pod.metadata.namespace}/${pod.metadata.name}`;
  api.events.record(pod, { type: "Normal", reason: "TaintManagerEviction", message, component });
}

/** Returns the `NoExecute` taints of a pod's node. */
function taintsOf({ store }: ApiScope, { spec }: StoredPod): readonly Taint[] {
  const node = spec.nodeName === undefined ? undefined : store.get("nodes", undefined, spec.nodeName);
  const taints = node !== undefined && isNode(node) ? (node.spec?.taints ?? []) : [];
  return taints.filter(({ effect }) => effect === "NoExecute");
}

/** Returns how long a pod tolerates the taints, in ms; `undefined`: indefinitely. */
function toleratedMs({ spec: { tolerations = [] } }: StoredPod, taints: readonly Taint[]): number | undefined {
  const used = taints.map((taint) => tolerations.filter((toleration) => tolerates(toleration, taint)));
  if (used.some((fitting) => fitting.length === 0)) return 0;
  const seconds = used.flat().flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  return seconds.length === 0 ? undefined : Math.max(0, Math.min(...seconds)) * 1000;
}
