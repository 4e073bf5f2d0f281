import type { NodeSelector } from "kubernetes-types/core/v1.d.ts";
import type { StoredPod } from "../../pods/stored-pod.ts";
import type { StoredNode } from "./scheduling-view.ts";

/** Whether a node is one that a pod's selector and its required affinity name. */
export function matchesNode({ spec }: StoredPod, node: StoredNode): boolean {
  const labels = node.metadata.labels ?? {};
  const isSelected = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return isSelected && (required === undefined || selectsNode(required, node));
}

/** Whether one of the terms fits; a term that requires nothing fits no node. */
export function selectsNode({ nodeSelectorTerms }: NodeSelector, { metadata }: StoredNode): boolean {
  const labels = metadata.labels ?? {};
  const fields = { "metadata.name": metadata.name };
  return nodeSelectorTerms.some(
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
