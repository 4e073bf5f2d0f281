import type { TopologySpreadConstraint } from "kubernetes-types/core/v1.d.ts";
import { matchesNode } from "../../../kube/node-requirements.ts";
import { ownMember } from "../../../values/own-member.ts";
import { selectorOf } from "../../api/selectors/object-selector.ts";
import type { StoredNode, StoredPod } from "../../pods/stored-object.ts";
import { type NodeRejection, resolvable, type SchedulingView, unresolvable } from "./scheduling-view.ts";

const mismatch = "node(s) didn't match pod topology spread constraints";

/** Checks a pod's topology spread constraints with `DoNotSchedule`. Source: Kubernetes 1.35. */
export function spreadingFailure(view: SchedulingView, pod: StoredPod, node: StoredNode): NodeRejection | undefined {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
  );
  for (const constraint of constraints) {
    const domain = node.metadata.labels?.[constraint.topologyKey];
    if (domain === undefined) return unresolvable(`${mismatch} (missing required label)`);
    if (skewOf(view, pod, { constraint, domain }) > constraint.maxSkew) return resolvable(mismatch);
  }
  return undefined;
}

/** Returns by how many pods a domain would exceed the domain with the fewest pods. */
function skewOf(
  { nodes, placed }: SchedulingView,
  pod: StoredPod,
  { constraint, domain }: { readonly constraint: TopologySpreadConstraint; readonly domain: string },
): number {
  const { topologyKey, labelSelector, minDomains = 1 } = constraint;
  const isCounted = labelSelector === undefined ? () => false : selectorOf(labelSelector);
  const counts = new Map<string, number>();
  for (const { metadata } of nodes.filter((candidate) => matchesNode(pod, candidate))) {
    const own = ownMember(metadata.labels ?? {}, topologyKey);
    if (own === undefined) continue;
    const matching = [...placed.on(metadata.name).pods.values()].filter(
      (other) =>
        other.metadata.namespace === pod.metadata.namespace &&
        other.metadata.deletionTimestamp === undefined &&
        isCounted(other.metadata.labels),
    );
    counts.set(own, (counts.get(own) ?? 0) + matching.length);
  }
  const minCount = counts.size < minDomains ? 0 : Math.min(...counts.values());
  return (counts.get(domain) ?? 0) + (isCounted(pod.metadata.labels) ? 1 : 0) - minCount;
}
