import type { Node } from "../../../kube/types.ts";
import type { Store, StoredObject } from "../../api/store.ts";
import type { PlacedPods } from "./placed-pods.ts";

/** The cluster as a scheduler sees it for one pod. */
export interface SchedulingView {
  readonly store: Store;
  readonly nodes: readonly StoredNode[];
  readonly placed: PlacedPods;
}

export type StoredNode = StoredObject & Node;

/** Why a node does not take a pod. */
export interface NodeRejection {
  /** In the scheduler's words, e.g. `Insufficient cpu`. */
  readonly reasons: readonly string[];
  /** Whether it might, if other pods were gone. */
  readonly isResolvable: boolean;
}

export function viewOf(store: Store, placed: PlacedPods): SchedulingView {
  return { store, nodes: store.list("nodes").filter(isNode), placed };
}

/** Nothing changes it, whatever pods go. */
export function unresolvable(...reasons: readonly string[]): NodeRejection {
  return { reasons, isResolvable: false };
}

/** It might fit if other pods were gone. */
export function resolvable(...reasons: readonly string[]): NodeRejection {
  return { reasons, isResolvable: true };
}

function isNode(object: StoredObject): object is StoredNode {
  return object.kind === "Node";
}
