import type { LabelSelectorRequirement } from "kubernetes-types/meta/v1.d.ts";
import { ownMember } from "../../../values/own-member.ts";
import { isArray, isObject } from "../json.ts";
import type { LabelSelector } from "./label-selector.ts";

/** Parses a selector of an object, `{matchLabels, matchExpressions}`; an empty one matches everything. */
export function selectorOf(selector: unknown): LabelSelector {
  const { matchLabels, matchExpressions } = isObject(selector) ? selector : {};
  const labels = isObject(matchLabels) ? Object.entries(matchLabels) : [];
  const terms = isArray(matchExpressions) ? matchExpressions.filter(isRequirement) : [];
  return (own = {}) =>
    labels.every(([key, value]) => ownMember(own, key) === value) && terms.every((term) => fits(term, own));
}

function isRequirement(value: unknown): value is LabelSelectorRequirement {
  return isObject(value) && typeof value["key"] === "string" && typeof value["operator"] === "string";
}

/** Whether labels satisfy one requirement of a selector. */
export function fits(
  { key, operator, values = [] }: LabelSelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = ownMember(labels, key);
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
