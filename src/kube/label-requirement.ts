import type { LabelSelectorRequirement } from "kubernetes-types/meta/v1.d.ts";
import type { StringMap } from "./types.ts";

/** Selector of an object. Other values than texts match no label. */
interface Selector {
  readonly matchLabels?: Readonly<Record<string, unknown>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

/** Returns a label; its key may be the name of a member that every object inherits. */
export function labelOf(labels: StringMap = {}, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** Whether labels match a selector. An empty selector matches everything. */
export function matchesSelector(
  { matchLabels = {}, matchExpressions = [] }: Selector,
  labels: StringMap = {},
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
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
  const value = labelOf(labels, key);
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
