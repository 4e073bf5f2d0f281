import { podAmounts } from "../../../kube/amounts.ts";
import { antiAffinityTerms } from "../../../kube/pod-affinity.ts";
import { isFinalPhase } from "../../../kube/pod-phase.ts";
import { addQuantities, type Quantity } from "../../../values/quantity.ts";
import type { Store } from "../../api/store.ts";
import { isPod, type StoredPod } from "../../pods/stored-object.ts";

/** Pods of one node and the sum of their requests. */
interface NodePods {
  /** By uid. */
  readonly pods: ReadonlyMap<string, StoredPod>;
  /** Requests by resource; omits resources that no pod requests. */
  readonly requested: ReadonlyMap<string, Quantity>;
}

/** Index of unfinished pods on nodes. */
export interface PlacedPods {
  readonly all: () => Iterable<StoredPod>;
  readonly on: (node: string) => NodePods;
  /** Lists pods with required anti-affinity. */
  readonly withAntiAffinity: () => Iterable<StoredPod>;
}

/** Index that is updated incrementally, because the scheduler reads it for each of thousands of pods. */
export interface FollowedPods extends PlacedPods {
  readonly stop: () => void;
}

const noPods: NodePods = { pods: new Map(), requested: new Map() };

/** Indexes the existing pods and updates the index on changes. */
export function followPlacedPods(store: Store): FollowedPods {
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
    addRequests(node.requested, pod, 1n);
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
    addRequests(node.requested, pod, -1n);
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

/** Returns the index as it would be without some pods and with others, on the nodes that are reserved for them. */
export function changedPods(
  { all, on, withAntiAffinity }: PlacedPods,
  { removed = [], added = [] }: { readonly removed?: readonly StoredPod[]; readonly added?: readonly StoredPod[] },
): PlacedPods {
  const gone = new Set(removed.map(({ metadata }) => metadata.uid));
  const changed = (pods: Iterable<StoredPod>, more: readonly StoredPod[]) => [
    ...[...pods].filter(({ metadata }) => !gone.has(metadata.uid)),
    ...more,
  ];
  return {
    all: () => changed(all(), added),
    on(node) {
      const { pods, requested } = on(node);
      const less = removed.filter(({ metadata }) => pods.has(metadata.uid));
      const more = added.filter(({ status }) => status?.nominatedNodeName === node);
      if (less.length + more.length === 0) return { pods, requested };
      const amounts = new Map(requested);
      for (const pod of less) addRequests(amounts, pod, -1n);
      for (const pod of more) addRequests(amounts, pod, 1n);
      return { pods: new Map(changed(pods.values(), more).map((pod) => [pod.metadata.uid, pod])), requested: amounts };
    },
    withAntiAffinity: () =>
      changed(
        withAntiAffinity(),
        added.filter(({ spec }) => antiAffinityTerms(spec).length > 0),
      ),
  };
}

/** Adds a pod's requests to sums, or subtracts them. */
function addRequests(sums: Map<string, Quantity>, { spec }: StoredPod, sign: 1n | -1n): void {
  for (const [resource, amount] of podAmounts(spec, "requests")) {
    const signed = { ...amount, nano: sign * amount.nano };
    const before = sums.get(resource);
    sums.set(resource, before === undefined ? signed : addQuantities(before, signed));
  }
}

/** Checks whether a pod is bound to a node and has not finished. */
export function isPlaced({ spec, status }: StoredPod): boolean {
  return (spec.nodeName ?? "") !== "" && !isFinalPhase(status?.phase);
}
