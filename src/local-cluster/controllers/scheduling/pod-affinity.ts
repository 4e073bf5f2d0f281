import type { PodAffinityTerm } from "kubernetes-types/core/v1.d.ts";
import { ownMember } from "../../../values/own-member.ts";
import { selectorOf } from "../../api/selectors/object-selector.ts";
import type { StoredNode, StoredPod } from "../../pods/stored-object.ts";
import { antiAffinityTerms } from "./placed-pods.ts";
import { type NodeRejection, resolvable, type SchedulingView, unresolvable } from "./scheduling-view.ts";

/**
 * Checks the required affinity and anti-affinity of a pod and the anti-affinity of other pods.
 *
 * Source: Kubernetes 1.35. The API resolves `matchLabelKeys`.
 */
export function affinityFailure(view: SchedulingView, pod: StoredPod, node: StoredNode): NodeRejection | undefined {
  if (!satisfiesAffinity(view, pod, node)) return unresolvable("node(s) didn't match pod affinity rules");
  if (antiAffinityTerms(pod).some((term) => hasMatchingPod(view, { term, owner: pod, node })))
    return resolvable("node(s) didn't match pod anti-affinity rules");
  const isRejectedByOthers = [...view.placed.withAntiAffinity()].some((other) =>
    antiAffinityTerms(other).some(
      (term) => matchesTerm(view, { term, owner: other }, pod) && isSameDomain(view, term, { other, node }),
    ),
  );
  return isRejectedByOthers ? resolvable("node(s) didn't satisfy existing pods anti-affinity rules") : undefined;
}

interface OwnTerm {
  readonly term: PodAffinityTerm;
  /** Pod that has the term; its namespace is the default of the term. */
  readonly owner: StoredPod;
}

function satisfiesAffinity(view: SchedulingView, pod: StoredPod, node: StoredNode): boolean {
  const terms = pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const labels = node.metadata.labels ?? {};
  if (!terms.every(({ topologyKey }) => topologyKey in labels)) return false;
  if (terms.length === 0) return true;
  if (terms.every((term) => hasMatchingPod(view, { term, owner: pod, node }))) return true;
  // The first pod of a group with affinity to itself can run anywhere.
  const isFirst = ![...view.placed.all()].some((other) =>
    terms.every((term) => matchesTerm(view, { term, owner: pod }, other)),
  );
  return isFirst && terms.every((term) => matchesTerm(view, { term, owner: pod }, pod));
}

/** Whether a pod that the term selects is in the same topology domain as the node. */
function hasMatchingPod(view: SchedulingView, { term, owner, node }: OwnTerm & { readonly node: StoredNode }): boolean {
  return [...view.placed.all()].some(
    (other) => matchesTerm(view, { term, owner }, other) && isSameDomain(view, term, { other, node }),
  );
}

function isSameDomain(
  { nodes }: SchedulingView,
  { topologyKey }: PodAffinityTerm,
  { other, node }: { readonly other: StoredPod; readonly node: StoredNode },
): boolean {
  const its = nodes.find(({ metadata }) => metadata.name === other.spec.nodeName)?.metadata.labels ?? {};
  const value = ownMember(node.metadata.labels ?? {}, topologyKey);
  return value !== undefined && its[topologyKey] === value;
}

function matchesTerm({ store }: SchedulingView, { term, owner }: OwnTerm, other: StoredPod): boolean {
  const { labelSelector, namespaces = [], namespaceSelector } = term;
  const { namespace, labels } = other.metadata;
  const namespaceObject = store.get("namespaces", undefined, namespace);
  const isOwnNamespace =
    namespaces.length === 0 && namespaceSelector === undefined && namespace === owner.metadata.namespace;
  const isSelected = namespaceSelector !== undefined && selectorOf(namespaceSelector)(namespaceObject?.metadata.labels);
  const isInNamespaces = isOwnNamespace || namespaces.includes(namespace) || isSelected;
  return isInNamespaces && labelSelector !== undefined && selectorOf(labelSelector)(labels);
}
