import type { LabelSelector } from "kubernetes-types/meta/v1.d.ts";
import { type FieldError, forbiddenField, invalidValue, required } from "./field-error.ts";
import { validateLabels } from "./metadata.ts";
import { qualifiedName } from "./names.ts";

/** Returns the errors of a selector that may be left out. */
export function labelSelectorErrors(selector: LabelSelector | undefined, path: string): FieldError[] {
  if (selector === undefined) return [];
  return [...validateLabels(selector.matchLabels, `${path}.matchLabels`), ...expressionErrors(selector, path)];
}

/** Returns the errors of the expressions of a selector. */
export function expressionErrors({ matchExpressions = [] }: LabelSelector, path: string): FieldError[] {
  return matchExpressions.flatMap((term, index) => termErrors(term, `${path}.matchExpressions[${index}]`));
}

function termErrors(
  { key, operator, values = [] }: NonNullable<LabelSelector["matchExpressions"]>[number],
  field: string,
): FieldError[] {
  const needsValues = operator === "In" || operator === "NotIn";
  const isKnown = needsValues || operator === "Exists" || operator === "DoesNotExist";
  return [
    ...(isKnown ? [] : [invalidValue(`${field}.operator`, operator, "not a valid selector operator")]),
    ...(needsValues && values.length === 0
      ? [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
      : []),
    ...(isKnown && !needsValues && values.length > 0
      ? [forbiddenField(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
      : []),
    ...qualifiedName(key).map((fault) => invalidValue(`${field}.key`, key, fault)),
  ];
}
