import type { Placement } from "../../../kube/placement.ts";
import type { Store } from "../../api/store.ts";
import { isNode, type StoredNode } from "../../pods/stored-object.ts";
import type { PlacedPods } from "./placed-pods.ts";

/** The cluster state that scheduling one pod reads. */
export interface SchedulingView {
  readonly store: Store;
  readonly nodes: readonly StoredNode[];
  readonly placed: PlacedPods;
}

/** Reasons why a node is rejected. */
export interface NodeRejection {
  /** Texts of the scheduler, e.g. `Insufficient cpu`. */
  readonly reasons: readonly string[];
  /** Whether the node might fit if other pods were preempted. */
  readonly isResolvable: boolean;
}

/** Builds the view of the current state. */
export function viewOf(store: Store, placed: PlacedPods): SchedulingView {
  return { store, nodes: store.list("nodes").filter(isNode), placed };
}

/** Returns the nodes and placed pods of a view, as the rules of Kubernetes read them. */
export function placementOf({ store, nodes, placed }: SchedulingView): Placement {
  return {
    nodes,
    pods: placed.all,
    podsOn: (node) => placed.on(node).pods.values(),
    podsWithAntiAffinity: placed.withAntiAffinity,
    labelsOfNamespace: (namespace) => store.get("namespaces", undefined, namespace)?.metadata.labels,
  };
}

/** Builds a rejection that preemption cannot resolve. */
export function unresolvable(...reasons: readonly string[]): NodeRejection {
  return { reasons, isResolvable: false };
}

/** Builds a rejection that preemption might resolve. */
export function resolvable(...reasons: readonly string[]): NodeRejection {
  return { reasons, isResolvable: true };
}
