import type { PolicyRule, RoleRef, Subject } from "kubernetes-types/rbac/v1.d.ts";
import type { Store, StoredObject } from "../store.ts";
import { mastersGroup, serviceAccountOf, type User } from "./user.ts";

/** The attributes of a request that authorization checks: a verb on a resource, or on a path that is not a resource. */
export type RequestAttributes =
  | {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string | undefined;
      readonly namespace: string | undefined;
      readonly name: string | undefined;
    }
  | { readonly verb: string; readonly path: string };

/** The result of authorization. */
interface AuthorizationDecision {
  readonly isAllowed: boolean;
  /** The binding that allows it, or the bindings whose roles do not exist. */
  readonly reason: string;
}

/** Rules that a binding grants to a user. */
export interface Grant {
  readonly rules: readonly PolicyRule[];
  /** The reason, as an access review shows it. */
  readonly reason: string;
}

type Role = StoredObject & { readonly rules: readonly PolicyRule[] | null };
type Binding = StoredObject & { readonly roleRef: RoleRef; readonly subjects?: readonly Subject[] };

/** Authorizes a request by the roles and bindings in the store, as Kubernetes' RBAC does. */
export function authorize(store: Store, user: User, attributes: RequestAttributes): AuthorizationDecision {
  if (user.groups.includes(mastersGroup)) return { isAllowed: true, reason: "" };
  const missing: string[] = [];
  const namespace = "path" in attributes ? undefined : attributes.namespace;
  for (const grant of grants(store, user, namespace, missing)) {
    if (grant.rules.some((rule) => covers(rule, attributes))) return { isAllowed: true, reason: grant.reason };
  }
  return { isAllowed: false, reason: missing.length === 0 ? "" : `RBAC: ${listed(missing)}` };
}

function listed(missing: readonly string[]): string {
  return missing.length === 1 ? (missing[0] ?? "") : `[${missing.join(", ")}]`;
}

/** Yields all rules that are granted to a user, cluster-wide ones first. Adds the names of missing roles to `missing`. */
export function* grants(
  store: Store,
  user: User,
  namespace: string | undefined,
  missing: string[] = [],
): Generator<Grant> {
  const bindingLists = [
    { kind: "ClusterRoleBinding", bindings: store.list("clusterrolebindings.rbac.authorization.k8s.io") },
    ...(namespace === undefined || namespace === ""
      ? []
      : [{ kind: "RoleBinding", bindings: store.list("rolebindings.rbac.authorization.k8s.io", namespace) }]),
  ];
  for (const { kind, bindings } of bindingLists) {
    for (const binding of bindings) {
      if (!isBinding(binding)) continue;
      const subject = (binding.subjects ?? []).find((candidate) =>
        matchesSubject(candidate, user, binding.metadata.namespace),
      );
      if (subject === undefined) continue;
      const rules = rulesOf(store, binding.roleRef, binding.metadata.namespace);
      if (rules === undefined) {
        missing.push(
          `${binding.roleRef.kind.toLowerCase()}.rbac.authorization.k8s.io "${binding.roleRef.name}" not found`,
        );
      } else yield { rules, reason: reasonOf(kind, binding, subject) };
    }
  }
}

function reasonOf(
  kind: string,
  { metadata, roleRef }: Binding,
  { kind: subjectKind, name, namespace }: Subject,
): string {
  const scope = metadata.namespace === undefined ? "" : `/${metadata.namespace}`;
  const account = subjectKind === "ServiceAccount" ? `/${namespace ?? metadata.namespace ?? ""}` : "";
  const role = `${roleRef.kind} "${roleRef.name}${roleRef.kind === "Role" ? scope : ""}"`;
  return `RBAC: allowed by ${kind} "${metadata.name}${scope}" of ${role} to ${subjectKind} "${name}${account}"`;
}

/** Returns the rules of a role; `undefined` if it does not exist. */
export function rulesOf(
  store: Store,
  { kind, name }: RoleRef,
  namespace: string | undefined,
): readonly PolicyRule[] | undefined {
  const role =
    kind === "Role"
      ? store.get("roles.rbac.authorization.k8s.io", namespace, name)
      : store.get("clusterroles.rbac.authorization.k8s.io", undefined, name);
  return role === undefined || !isRole(role) ? undefined : (role.rules ?? []);
}

function isRole(object: StoredObject): object is Role {
  return "rules" in object;
}

function isBinding(object: StoredObject): object is Binding {
  return "roleRef" in object;
}

function matchesSubject(subject: Subject, user: User, namespace: string | undefined): boolean {
  switch (subject.kind) {
    case "User":
      return subject.name === user.name;
    case "Group":
      return user.groups.includes(subject.name);
    default: {
      const account = serviceAccountOf(user.name);
      return account?.name === subject.name && account.namespace === (subject.namespace ?? namespace);
    }
  }
}

/** Whether a rule allows a request. */
export function covers(rule: PolicyRule, attributes: RequestAttributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false;
  if ("path" in attributes) {
    return (rule.nonResourceURLs ?? []).some((url) =>
      url.endsWith("*") ? attributes.path.startsWith(url.slice(0, -1)) : url === attributes.path,
    );
  }
  const { group, resource, subresource, name } = attributes;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  const names = rule.resourceNames ?? [];
  return (
    has(rule.apiGroups, group) &&
    (has(rule.resources, full) || (subresource !== undefined && (rule.resources ?? []).includes(`*/${subresource}`))) &&
    (names.length === 0 || (name !== undefined && names.includes(name)))
  );
}

function has(list: readonly string[] | undefined, item: string): boolean {
  return (list ?? []).some((entry) => entry === "*" || entry === item);
}
