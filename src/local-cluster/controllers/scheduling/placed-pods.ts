import { antiAffinityTerms } from "../../../kube/pod-affinity.ts";
import { isFinalPhase } from "../../../kube/pod-phase.ts";
import { addQuantities, type Quantity } from "../../../values/quantity.ts";
import { podAmounts } from "../../api/amounts.ts";
import type { Store } from "../../api/store.ts";
import { isPod, type StoredPod } from "../../pods/stored-object.ts";

/** Pods of one node and the sum of their requests. */
interface NodePods {
  /** By uid. */
  readonly pods: ReadonlyMap<string, StoredPod>;
  /** Requests by resource; omits resources that no pod requests. */
  readonly requested: ReadonlyMap<string, Quantity>;
}

/** Index of unfinished pods on nodes. It is updated incrementally because the scheduler reads it for each of thousands of pods. */
export interface PlacedPods {
  readonly all: () => Iterable<StoredPod>;
  readonly on: (node: string) => NodePods;
  /** Lists pods with required anti-affinity. */
  readonly withAntiAffinity: () => Iterable<StoredPod>;
  readonly stop: () => void;
}

const noPods: NodePods = { pods: new Map(), requested: new Map() };

/** Indexes the existing pods and updates the index on changes. */
export function followPlacedPods(store: Store): PlacedPods {
  const placed = new Map<string, StoredPod>();
  const nodes = new Map<string, { pods: Map<string, StoredPod>; requested: Map<string, Quantity> }>();
  const withAntiAffinity = new Map<string, StoredPod>();

  function put(pod: StoredPod): void {
    const { uid } = pod.metadata;
    const name = pod.spec.nodeName ?? "";
    const node = nodes.get(name) ?? { pods: new Map(), requested: new Map() };
    nodes.set(name, node);
    placed.set(uid, pod);
    node.pods.set(uid, pod);
    if (antiAffinityTerms(pod.spec).length > 0) withAntiAffinity.set(uid, pod);
    for (const [resource, amount] of podAmounts(pod.spec, "requests")) {
      const before = node.requested.get(resource);
      node.requested.set(resource, before === undefined ? amount : addQuantities(before, amount));
    }
  }

  function remove(pod: StoredPod): void {
    const { uid } = pod.metadata;
    const name = pod.spec.nodeName ?? "";
    const node = nodes.get(name);
    placed.delete(uid);
    withAntiAffinity.delete(uid);
    node?.pods.delete(uid);
    if (node === undefined || node.pods.size === 0) {
      nodes.delete(name);
      return;
    }
    for (const [resource, amount] of podAmounts(pod.spec, "requests")) {
      const before = node.requested.get(resource);
      if (before !== undefined) node.requested.set(resource, addQuantities(before, { ...amount, nano: -amount.nano }));
    }
  }

  const stop = store.follow(({ type, collection, object }) => {
    if (collection !== "pods" || !isPod(object)) return;
    const known = placed.get(object.metadata.uid);
    if (known !== undefined) remove(known);
    if (type !== "DELETED" && isPlaced(object)) put(object);
  });
  return {
    all: () => placed.values(),
    on: (node) => nodes.get(node) ?? noPods,
    withAntiAffinity: () => withAntiAffinity.values(),
    stop,
  };
}

/** Checks whether a pod is bound to a node and has not finished. */
export function isPlaced({ spec, status }: StoredPod): boolean {
  return (spec.nodeName ?? "") !== "" && !isFinalPhase(status?.phase);
}
