import type { LabelSelectorRequirement } from "kubernetes-types/meta/v1.d.ts";
import { matchesSelector } from "../../../kube/label-requirement.ts";
import { isArray, isObject } from "../json.ts";
import type { LabelSelector } from "./label-selector.ts";

/** Parses a selector of an object, `{matchLabels, matchExpressions}`; an empty one matches everything. */
export function selectorOf(selector: unknown): LabelSelector {
  const { matchLabels, matchExpressions } = isObject(selector) ? selector : {};
  const parsed = {
    matchLabels: isObject(matchLabels) ? matchLabels : {},
    matchExpressions: isArray(matchExpressions) ? matchExpressions.filter(isRequirement) : [],
  };
  return (labels) => matchesSelector(parsed, labels);
}

function isRequirement(value: unknown): value is LabelSelectorRequirement {
  return isObject(value) && typeof value["key"] === "string" && typeof value["operator"] === "string";
}
