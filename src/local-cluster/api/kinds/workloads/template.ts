import type { LabelSelector } from "kubernetes-types/meta/v1.d.ts";
import type { PodTemplateSpec } from "../../../../kube/types.ts";
import { isSame } from "../../json.ts";
import { selectorOf } from "../../selectors/object-selector.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../../validation/field-error.ts";
import { expressionErrors, labelSelectorErrors } from "../../validation/label-selectors.ts";
import { validateLabels } from "../../validation/metadata.ts";
import { negativeFault } from "../../validation/numbers.ts";
import { validatePodSpec, warnOfPodSpec } from "../../validation/pod/pod-spec.ts";
import { fillPodSpec } from "../pod-defaults.ts";

/** Fields that all sets of pods have. */
export interface SetSpec {
  readonly selector?: LabelSelector | null | undefined;
  readonly template?: PodTemplateSpec | undefined;
}

/** Sets a template's defaults. */
export function fillTemplate({ template }: SetSpec): void {
  if (template?.spec !== undefined) fillPodSpec(template.spec, { isTemplate: true });
}

/** Returns the errors of a set's selector. `empty` and `unreadable` are messages. */
export function selectorErrors(
  { selector }: SetSpec,
  { empty, unreadable }: { readonly empty: string; readonly unreadable: string },
): FieldError[] {
  if (selector === undefined || selector === null) return [required("spec.selector")];
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const labels = validateLabels(matchLabels, "spec.selector.matchLabels");
  const terms = expressionErrors(selector, "spec.selector");
  const isEmpty = Object.keys(matchLabels).length + matchExpressions.length === 0;
  return [
    ...labels,
    ...terms,
    ...(isEmpty ? [invalidValue("spec.selector", selector, empty)] : []),
    ...(labels.length + terms.length === 0 ? [] : [invalidValue("spec.selector", selector, unreadable)]),
  ];
}

/** Returns the errors of a set's template. */
export function templateErrors({ selector, template }: SetSpec): FieldError[] {
  const labels = template?.metadata?.labels;
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const isSelective = Object.keys(matchLabels).length + matchExpressions.length > 0;
  const isMatched = selector !== undefined && selector !== null && selectorOf(selector)(labels);
  const isReadable = labelSelectorErrors(selector ?? {}, "spec.selector").length === 0;
  const isMismatch = selector === undefined || selector === null || (isSelective && isReadable && !isMatched);
  return [
    ...(isMismatch
      ? [invalidValue("spec.template.metadata.labels", labels ?? null, "`selector` does not match template `labels`")]
      : []),
    ...validateLabels(labels, "spec.template.labels"),
    ...validatePodSpec(template?.spec ?? { containers: [] }, "spec.template.spec"),
  ];
}

/** Returns the errors of a template whose pods must restart always. `owner` is the kind in messages. */
export function restartErrors({ template }: SetSpec, owner: string): FieldError[] {
  const { restartPolicy = "Always", activeDeadlineSeconds } = template?.spec ?? { containers: [] };
  const field = "spec.template.spec";
  return [
    ...(restartPolicy === "Always" ? [] : [notSupported(`${field}.restartPolicy`, restartPolicy, ["Always"])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbiddenField(`${field}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${owner} is not Supported`)]),
  ];
}

/** Returns the errors of negative numbers. */
export function negativeErrors(numbers: Readonly<Record<string, number | undefined>>): FieldError[] {
  return Object.entries(numbers).flatMap(([field, number = 0]) => {
    const fault = negativeFault(number);
    return fault === undefined ? [] : [invalidValue(field, number, fault)];
  });
}

/** Rejects changes of a selector. */
export function fixedSelector(next: unknown, old: unknown): FieldError[] {
  return isSame(next, old) ? [] : [invalidValue("spec.selector", next, "field is immutable")];
}

/** Returns the warnings about a set's name, which prefixes pod names, and its template. */
export function warnOfSet(name: string, { template }: SetSpec): string[] {
  return [...warnOfName(name), ...warnOfTemplate({ template })];
}

/** Returns the warnings about a name that prefixes pod names. */
export function warnOfName(name: string): string[] {
  const faults = [
    ...(name.includes(".") ? ["must not contain dots"] : []),
    ...(name.length > 63 ? ["must be no more than 63 characters"] : []),
  ];
  const text = "this is used in Pod names and hostnames, which can result in surprising behavior";
  return faults.length === 0 ? [] : [`metadata.name: ${text}; a DNS label is recommended: [${faults.join(" ")}]`];
}

/** Returns the warnings about a set's template. */
export function warnOfTemplate({ template }: SetSpec, path = "spec.template.spec"): string[] {
  return template?.spec === undefined ? [] : warnOfPodSpec(template.spec, path);
}
