import type { ScopedResourceSelectorRequirement } from "kubernetes-types/core/v1.d.ts";
import type { PodSpec } from "../../../kube/types.ts";
import { isArray, isObject } from "../json.ts";
import { qosClass } from "../kinds/qos-class.ts";
import type { Draft } from "../object.ts";

/** Whether a quota applies to an object. A quota with scopes applies only to pods in all of them. */
export function isInScope(quotaSpec: unknown, plural: string, object: Draft): boolean {
  const scopes = scopesOf(quotaSpec);
  if (scopes.length === 0) return true;
  const { spec } = object;
  return plural === "pods" && isPodSpec(spec) && scopes.every((scope) => fits(scope, spec));
}

type Scope = Pick<ScopedResourceSelectorRequirement, "operator" | "scopeName"> & {
  readonly values?: readonly string[];
};

function scopesOf(quotaSpec: unknown): readonly Scope[] {
  if (!isObject(quotaSpec)) return [];
  const { scopes, scopeSelector } = quotaSpec;
  const named = isArray(scopes) ? scopes.map((name) => ({ scopeName: String(name), operator: "Exists" })) : [];
  const terms = isObject(scopeSelector) ? scopeSelector["matchExpressions"] : undefined;
  return [...named, ...(isArray(terms) ? terms.filter(isScope) : [])];
}

function isScope(value: unknown): value is Scope {
  return isObject(value) && typeof value["scopeName"] === "string";
}

function isPodSpec(value: unknown): value is PodSpec {
  return isObject(value);
}

function fits({ scopeName, operator, values = [] }: Scope, spec: PodSpec): boolean {
  switch (scopeName) {
    case "Terminating":
      return spec.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return spec.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return qosClass(spec) === "BestEffort";
    case "NotBestEffort":
      return qosClass(spec) !== "BestEffort";
    case "PriorityClass":
      return fitsName(spec.priorityClassName, operator, values);
    default:
      return hasForeignAffinity(spec);
  }
}

function fitsName(name: string | undefined, operator: string, values: readonly string[]): boolean {
  const isNamed = name !== undefined && name !== "";
  switch (operator) {
    case "In":
      return isNamed && values.includes(name);
    case "NotIn":
      return !isNamed || !values.includes(name);
    case "Exists":
      return isNamed;
    default:
      return !isNamed;
  }
}

/** Whether a pod has affinity or anti-affinity to pods of other namespaces. */
function hasForeignAffinity({ affinity }: PodSpec): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((rules) => [
    ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector);
}
