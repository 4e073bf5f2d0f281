import type { PolicyRule } from "kubernetes-types/rbac/v1.d.ts";
import type { Permission } from "./permissions.ts";

/** Builds the rules of a role: one rule for all resources of an API group that have the same verbs. */
export function policyRules(permissions: readonly Permission[]): PolicyRule[] {
  const rules = new Map<string, PolicyRule & { readonly resources: string[] }>();
  for (const { group, resource, verbs } of merged(permissions)) {
    const key = `${group} ${verbs.join(" ")}`;
    const rule = rules.get(key);
    if (rule === undefined) rules.set(key, { apiGroups: [group], resources: [resource], verbs: [...verbs] });
    else rule.resources.push(resource);
  }
  return [...rules.values()];
}

/** Joins the verbs of permissions on the same resource, in alphabetical order. */
function merged(permissions: readonly Permission[]): readonly Permission[] {
  const found = new Map<string, Permission>();
  for (const { group, resource, verbs } of permissions) {
    const key = `${group} ${resource}`;
    const all = new Set([...(found.get(key)?.verbs ?? []), ...verbs]);
    found.set(key, { group, resource, verbs: [...all].sort() });
  }
  return [...found.values()];
}
