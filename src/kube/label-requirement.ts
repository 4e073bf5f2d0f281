import type { LabelSelector, LabelSelectorRequirement } from "kubernetes-types/meta/v1.d.ts";
import type { StringMap } from "./types.ts";

/** Whether labels match a selector. An empty selector matches everything. */
export function matchesSelector(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: StringMap = {},
): boolean {
  const isEqual = ([key, value]: [string, string]) => Object.hasOwn(labels, key) && labels[key] === value;
  return (
    Object.entries(matchLabels).every(isEqual) &&
    matchExpressions.every((requirement) => satisfies(labels, requirement))
  );
}

/**
 * Whether labels satisfy a requirement: `In`, `NotIn`, `Exists`, `DoesNotExist`.
 *
 * Source: Kubernetes LabelSelectorRequirement.
 */
export function satisfies(
  labels: Readonly<Record<string, string>>,
  { key, operator, values = [] }: LabelSelectorRequirement,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    default:
      return value === undefined;
  }
}
