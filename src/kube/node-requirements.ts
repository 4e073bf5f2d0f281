import type { NodeSelector } from "kubernetes-types/core/v1.d.ts";
import type { LabelSelectorRequirement } from "kubernetes-types/meta/v1.d.ts";
import { satisfies } from "./label-requirement.ts";
import type { ObjectMeta, PodSpec } from "./types.ts";

/** The part of a node that selectors match. */
export interface SelectableNode {
  readonly metadata: Pick<ObjectMeta, "name" | "labels">;
}

/** Whether a node matches a pod's selector and required node affinity. */
export function matchesNode({ spec }: { readonly spec: PodSpec }, node: SelectableNode): boolean {
  const labels = node.metadata.labels ?? {};
  const isSelected = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return isSelected && (required === undefined || selectsNode(required, node));
}

/** Whether a node matches one of the terms; an empty term matches no node. */
export function selectsNode({ nodeSelectorTerms }: NodeSelector, { metadata }: SelectableNode): boolean {
  const labels = metadata.labels ?? {};
  const fields = { "metadata.name": metadata.name ?? "" };
  return nodeSelectorTerms.some(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchExpressions.length + matchFields.length > 0 &&
      matchExpressions.every((requirement) => isMet(requirement, labels)) &&
      matchFields.every((requirement) => isMet(requirement, fields)),
  );
}

/** Whether a node meets a requirement; node selectors have two more operators than label selectors. */
function isMet(requirement: LabelSelectorRequirement, labels: Readonly<Record<string, string>>): boolean {
  const { key, operator, values = [] } = requirement;
  if (operator === "Gt") return Number(labels[key]) > Number(values[0]);
  if (operator === "Lt") return Number(labels[key]) < Number(values[0]);
  return satisfies(labels, requirement);
}
