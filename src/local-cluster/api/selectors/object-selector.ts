import type { LabelSelectorRequirement } from "kubernetes-types/meta/v1.d.ts";
import { satisfies } from "../../../kube/label-requirement.ts";
import { ownMember } from "../../../values/own-member.ts";
import { isArray, isObject } from "../json.ts";
import type { LabelSelector } from "./label-selector.ts";

/** Parses a selector of an object, `{matchLabels, matchExpressions}`; an empty one matches everything. */
export function selectorOf(selector: unknown): LabelSelector {
  const { matchLabels, matchExpressions } = isObject(selector) ? selector : {};
  const labels = isObject(matchLabels) ? Object.entries(matchLabels) : [];
  const terms = isArray(matchExpressions) ? matchExpressions.filter(isRequirement) : [];
  return (own = {}) =>
    labels.every(([key, value]) => ownMember(own, key) === value) && terms.every((term) => satisfies(own, term));
}

function isRequirement(value: unknown): value is LabelSelectorRequirement {
  return isObject(value) && typeof value["key"] === "string" && typeof value["operator"] === "string";
}
