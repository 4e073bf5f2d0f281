import type { Node } from "../../kube/types.ts";
import { compareQuantities, parseQuantity } from "../../values/quantity.ts";
import { podAmounts } from "../api/amounts.ts";
import type { Store } from "../api/store.ts";
import type { StoredPod } from "../pods/stored-pod.ts";

/**
 * Why a pod cannot be placed on the only node, in the scheduler's words, or `undefined`.
 *
 * Requests count for each pod alone: what all pods ask for together may be more than there is, as a laptop wants it.
 * Source: recorded from the scheduler 1.35.
 */
export function whyUnschedulable(store: Store, node: Node, pod: StoredPod): string | undefined {
  const missing = missingClaim(store, pod);
  const all = "0/1 nodes are available: ";
  if (missing !== undefined) return `${all}persistentvolumeclaim "${missing}" not found. not found`;
  const reasons =
    node.spec?.unschedulable === true
      ? ["node(s) were unschedulable"]
      : matchesNode(pod, node)
        ? insufficient(pod, node)
        : ["node(s) didn't match Pod's node affinity/selector"];
  if (reasons.length === 0) return undefined;
  const counted = reasons.map((reason) => `1 ${reason}`).join(", ");
  return `${all}${counted}. no new claims to deallocate, preemption: ${all}1 Preemption is not helpful for scheduling.`;
}

function missingClaim(store: Store, { metadata, spec }: StoredPod): string | undefined {
  return (spec.volumes ?? [])
    .flatMap(({ persistentVolumeClaim: claim }) => (claim === undefined ? [] : [claim.claimName]))
    .find((name) => store.get("persistentvolumeclaims", metadata.namespace, name) === undefined);
}

function matchesNode({ spec }: StoredPod, node: Node): boolean {
  const labels = node.metadata?.labels ?? {};
  const isSelected = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (!isSelected || terms === undefined) return isSelected;
  const fields = { "metadata.name": node.metadata?.name ?? "" };
  return terms.some(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchExpressions.length + matchFields.length > 0 &&
      matchExpressions.every((requirement) => isMet(requirement, labels)) &&
      matchFields.every((requirement) => isMet(requirement, fields)),
  );
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

function isMet(
  { key, operator, values = [] }: Requirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = labels[key];
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return Number(value) > Number(values[0]);
    case "Lt":
      return Number(value) < Number(values[0]);
    default:
      return false;
  }
}

function insufficient(pod: StoredPod, node: Node): string[] {
  const allocatable = node.status?.allocatable ?? {};
  return [...podAmounts(pod.spec, "requests")]
    .filter(([name, wanted]) => {
      const there = parseQuantity(allocatable[name] ?? "0");
      return there !== undefined && compareQuantities(wanted, there) > 0;
    })
    .map(([name]) => `Insufficient ${name}`)
    .sort();
}
