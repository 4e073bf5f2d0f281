import type { SelectableNode } from "./node-requirements.ts";
import type { ObjectMeta, PodSpec, StringMap } from "./types.ts";

/** The part of a pod that the placement of other pods depends on. */
export interface PlacedPod {
  readonly metadata: Pick<ObjectMeta, "namespace" | "labels" | "deletionTimestamp">;
  readonly spec: PodSpec;
}

/** Nodes, and the unfinished pods that are bound to them. */
export interface Placement {
  readonly nodes: readonly SelectableNode[];
  readonly pods: () => Iterable<PlacedPod>;
  readonly podsOn: (node: string) => Iterable<PlacedPod>;
  /** Lists pods with required anti-affinity. */
  readonly podsWithAntiAffinity: () => Iterable<PlacedPod>;
  readonly labelsOfNamespace: (namespace: string) => StringMap | undefined;
}
