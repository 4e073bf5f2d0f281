import type { LabelSelectorRequirement } from "kubernetes-types/meta/v1.d.ts";

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
