import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "kubernetes-types/core/v1.d.ts";
import { type FieldError, invalidValue, required } from "./field-error.ts";

/** Scopes without values. */
const plain: readonly string[] = [
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "CrossNamespacePodAffinity",
];

/** Resources that a quota with scopes can limit. */
const podResources: readonly string[] = [
  "pods",
  ...["", "requests.", "limits."].flatMap((prefix) => [`${prefix}cpu`, `${prefix}memory`]),
];

/** Returns the errors of the scopes of a quota. */
export function scopeErrors({ scopes = [], scopeSelector, hard = {} }: ResourceQuotaSpec): FieldError[] {
  const names = Object.keys(hard);
  const conflicts = [
    ["BestEffort", "NotBestEffort"],
    ["Terminating", "NotTerminating"],
  ].filter((pair) => pair.every((scope) => scopes.includes(scope)));
  return [
    ...scopes.flatMap((scope) => [
      ...(isKnown(scope) ? [] : [invalidValue("spec.scopes", scopes, "unsupported scope")]),
      ...unsupportedResources(scope, names).map(() => invalidValue("spec.scopes", scopes, misfit)),
    ]),
    ...conflicts.map(() => invalidValue("spec.scopes", scopes, "conflicting scopes")),
    ...(scopeSelector?.matchExpressions ?? []).flatMap((term) => [
      ...unsupportedResources(term.scopeName, names).map(() => invalidValue(path, scopeSelector, misfit)),
      ...termErrors(term),
    ]),
  ];
}

const path = "spec.scopeSelector.matchExpressions";
const misfit = "unsupported scope applied to resource";

function isKnown(scope: string): boolean {
  return scope === "PriorityClass" || plain.includes(scope);
}

/** Returns the resources that a scope does not apply to. */
function unsupportedResources(scope: string, names: readonly string[]): readonly string[] {
  if (!isKnown(scope)) return [];
  return names.filter((name) => (scope === "BestEffort" ? name !== "pods" : !podResources.includes(name)));
}

function termErrors({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement): FieldError[] {
  const errors = isKnown(scopeName) ? [] : [invalidValue(`${path}.scopeName`, scopeName, "unsupported scope")];
  if (plain.includes(scopeName) && operator !== "Exists") {
    const [last, ...others] = plain.map((scope) => `ResourceQuotaScope${scope}`).reverse();
    const text = `must be 'Exists' when scope is any of ${others.reverse().join(", ")} or ${last}`;
    return [...errors, invalidValue(`${path}.operator`, operator, text)];
  }
  return [...errors, ...valueErrors(operator, values)];
}

function valueErrors(operator: string, values: readonly string[]): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn": {
      const text = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      return values.length > 0 ? [] : [required(`${path}.values`, text)];
    }
    case "Exists":
    case "DoesNotExist": {
      const text = "must be no value when `operator` is 'Exists' or 'DoesNotExist' for scope selector";
      return values.length === 0 ? [] : [invalidValue(`${path}.values`, values, text)];
    }
    default:
      return [invalidValue(`${path}.operator`, operator, "not a valid selector operator")];
  }
}
