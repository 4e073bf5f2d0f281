import type { PodAffinityTerm } from "kubernetes-types/core/v1.d.ts";
import { labelOf, matchesSelector } from "./label-requirement.ts";
import type { SelectableNode } from "./node-requirements.ts";
import type { PlacedPod, Placement } from "./placement.ts";
import type { PodSpec } from "./types.ts";

/** Rule that excludes a node: the pod's affinity, its anti-affinity, or the anti-affinity of a placed pod. */
export type AffinityMismatch = "affinity" | "antiAffinity" | "antiAffinityOfOthers";

/**
 * Checks the required affinity and anti-affinity of a pod and the anti-affinity of placed pods.
 *
 * Source: Kubernetes 1.35. The API resolves `matchLabelKeys`.
 */
export function affinityMismatch(
  placement: Placement,
  pod: PlacedPod,
  node: SelectableNode,
): AffinityMismatch | undefined {
  if (!satisfiesAffinity(placement, pod, node)) return "affinity";
  if (antiAffinityTerms(pod.spec).some((term) => hasMatchingPod(placement, { term, owner: pod, node })))
    return "antiAffinity";
  const isRejectedByOthers = [...placement.podsWithAntiAffinity()].some((other) =>
    antiAffinityTerms(other.spec).some(
      (term) => matchesTerm(placement, { term, owner: other }, pod) && isSameDomain(placement, term, { other, node }),
    ),
  );
  return isRejectedByOthers ? "antiAffinityOfOthers" : undefined;
}

/** Returns the required affinity terms of a pod. */
export function affinityTerms({ affinity }: PodSpec): readonly PodAffinityTerm[] {
  return affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** Returns the required anti-affinity terms of a pod. */
export function antiAffinityTerms({ affinity }: PodSpec): readonly PodAffinityTerm[] {
  return affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

interface OwnTerm {
  readonly term: PodAffinityTerm;
  /** Pod that has the term; its namespace is the default of the term. */
  readonly owner: PlacedPod;
}

function satisfiesAffinity(placement: Placement, pod: PlacedPod, node: SelectableNode): boolean {
  const terms = affinityTerms(pod.spec);
  const labels = node.metadata.labels ?? {};
  if (!terms.every(({ topologyKey }) => topologyKey in labels)) return false;
  if (terms.length === 0) return true;
  if (terms.every((term) => hasMatchingPod(placement, { term, owner: pod, node }))) return true;
  // The first pod of a group with affinity to itself can run anywhere.
  const isFirst = ![...placement.pods()].some((other) =>
    terms.every((term) => matchesTerm(placement, { term, owner: pod }, other)),
  );
  return isFirst && terms.every((term) => matchesTerm(placement, { term, owner: pod }, pod));
}

/** Whether a pod that the term selects is in the same topology domain as the node. */
function hasMatchingPod(
  placement: Placement,
  { term, owner, node }: OwnTerm & { readonly node: SelectableNode },
): boolean {
  return [...placement.pods()].some(
    (other) => matchesTerm(placement, { term, owner }, other) && isSameDomain(placement, term, { other, node }),
  );
}

function isSameDomain(
  { nodes }: Placement,
  { topologyKey }: PodAffinityTerm,
  { other, node }: { readonly other: PlacedPod; readonly node: SelectableNode },
): boolean {
  const its = nodes.find(({ metadata }) => metadata.name === other.spec.nodeName)?.metadata.labels ?? {};
  const domain = labelOf(node.metadata.labels, topologyKey);
  return domain !== undefined && its[topologyKey] === domain;
}

function matchesTerm({ labelsOfNamespace }: Placement, { term, owner }: OwnTerm, other: PlacedPod): boolean {
  const { labelSelector, namespaces = [], namespaceSelector } = term;
  const { namespace = "", labels } = other.metadata;
  const isOwnNamespace =
    namespaces.length === 0 && namespaceSelector === undefined && namespace === owner.metadata.namespace;
  const isSelected =
    namespaceSelector !== undefined && matchesSelector(namespaceSelector, labelsOfNamespace(namespace));
  const isInNamespaces = isOwnNamespace || namespaces.includes(namespace) || isSelected;
  return isInNamespaces && labelSelector !== undefined && matchesSelector(labelSelector, labels);
}
