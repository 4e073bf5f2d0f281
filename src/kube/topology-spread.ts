import type { TopologySpreadConstraint } from "kubernetes-types/core/v1.d.ts";
import { labelOf, matchesSelector } from "./label-requirement.ts";
import { matchesNode, type SelectableNode } from "./node-requirements.ts";
import type { PlacedPod, Placement } from "./placement.ts";
import type { PodSpec } from "./types.ts";

/** Reason why a constraint excludes a node: it has no label for it, or too many pods. */
export type SpreadMismatch = "noLabel" | "skew";

/** Checks a pod's topology spread constraints with `DoNotSchedule`. Source: Kubernetes 1.35. */
export function spreadMismatch(placement: Placement, pod: PlacedPod, node: SelectableNode): SpreadMismatch | undefined {
  for (const constraint of spreadConstraints(pod.spec)) {
    const domain = node.metadata.labels?.[constraint.topologyKey];
    if (domain === undefined) return "noLabel";
    if (skewOf(placement, pod, { constraint, domain }) > constraint.maxSkew) return "skew";
  }
  return undefined;
}

/** Returns the constraints that prevent the scheduling of a pod. */
export function spreadConstraints({ topologySpreadConstraints = [] }: PodSpec): readonly TopologySpreadConstraint[] {
  return topologySpreadConstraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule");
}

/** Returns by how many pods a domain would exceed the domain with the fewest pods. */
function skewOf(
  { nodes, podsOn }: Placement,
  pod: PlacedPod,
  { constraint, domain }: { readonly constraint: TopologySpreadConstraint; readonly domain: string },
): number {
  const { topologyKey, labelSelector, minDomains = 1 } = constraint;
  const isCounted = ({ metadata }: PlacedPod) =>
    labelSelector !== undefined && matchesSelector(labelSelector, metadata.labels);
  const counts = new Map<string, number>();
  for (const { metadata } of nodes.filter((candidate) => matchesNode(pod, candidate))) {
    const own = labelOf(metadata.labels, topologyKey);
    if (own === undefined) continue;
    const matching = [...podsOn(metadata.name ?? "")].filter(
      (other) =>
        other.metadata.namespace === pod.metadata.namespace &&
        other.metadata.deletionTimestamp === undefined &&
        isCounted(other),
    );
    counts.set(own, (counts.get(own) ?? 0) + matching.length);
  }
  const minCount = counts.size < minDomains ? 0 : Math.min(...counts.values());
  return (counts.get(domain) ?? 0) + (isCounted(pod) ? 1 : 0) - minCount;
}
