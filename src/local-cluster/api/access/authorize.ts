import type { PolicyRule, RoleRef, Subject } from "kubernetes-types/rbac/v1.d.ts";
import type { Store, StoredObject } from "../store.ts";
import { mastersGroup, serviceAccountOf, type User } from "./user.ts";

/** What a user wants to do: to a resource, or to a path that is none. */
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

export interface AuthorizationDecision {
  readonly isAllowed: boolean;
  /** Why it is allowed, or which binding leads nowhere. */
  readonly reason: string;
}

/** The rules that a user has, in a namespace and in the whole cluster. */
export interface Grant {
  readonly rules: readonly PolicyRule[];
  /** In the words of an access review. */
  readonly reason: string;
}

type Role = StoredObject & { readonly rules: readonly PolicyRule[] | null };
type Binding = StoredObject & { readonly roleRef: RoleRef; readonly subjects?: readonly Subject[] };

/** Decides by the roles and bindings in the store, as Kubernetes' RBAC does. */
export function authorize(store: Store, user: User, wish: RequestAttributes): AuthorizationDecision {
  if (user.groups.includes(mastersGroup)) return { isAllowed: true, reason: "" };
  const missing: string[] = [];
  const namespace = "path" in wish ? undefined : wish.namespace;
  for (const grant of grants(store, user, namespace, missing)) {
    if (grant.rules.some((rule) => covers(rule, wish))) return { isAllowed: true, reason: grant.reason };
  }
  return { isAllowed: false, reason: missing.length === 0 ? "" : `RBAC: ${listed(missing)}` };
}

function listed(missing: readonly string[]): string {
  return missing.length === 1 ? (missing[0] ?? "") : `[${missing.join(", ")}]`;
}

/** All that is granted to a user, cluster-wide first; names of roles that do not exist go into `missing`. */
export function* grants(
  store: Store,
  user: User,
  namespace: string | undefined,
  missing: string[] = [],
): Generator<Grant> {
  const places = [
    { kind: "ClusterRoleBinding", bindings: store.list("clusterrolebindings.rbac.authorization.k8s.io") },
    ...(namespace === undefined || namespace === ""
      ? []
      : [{ kind: "RoleBinding", bindings: store.list("rolebindings.rbac.authorization.k8s.io", namespace) }]),
  ];
  for (const { kind, bindings } of places) {
    for (const binding of bindings) {
      if (!isBinding(binding)) continue;
      const subject = (binding.subjects ?? []).find((one) =>
        isReserved(one, user, binding.metadata.namespace),
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
  const place = metadata.namespace === undefined ? "" : `/${metadata.namespace}`;
  const account = subjectKind === "ServiceAccount" ? `/${namespace ?? metadata.namespace ?? ""}` : "";
  const role = `${roleRef.kind} "${roleRef.name}${roleRef.kind === "Role" ? place : ""}"`;
  return `RBAC: allowed by ${kind} "${metadata.name}${place}" of ${role} to ${subjectKind} "${name}${account}"`;
}

/** The rules of a role; `undefined` when it does not exist. */
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

function isReserved(subject: Subject, user: User, namespace: string | undefined): boolean {
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

/** Whether one rule allows what is wished. */
export function covers(rule: PolicyRule, wish: RequestAttributes): boolean {
  if (!has(rule.verbs, wish.verb)) return false;
  if ("path" in wish) {
    return (rule.nonResourceURLs ?? []).some((url) =>
      url.endsWith("*") ? wish.path.startsWith(url.slice(0, -1)) : url === wish.path,
    );
  }
  const { group, resource, subresource, name } = wish;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  const names = rule.resourceNames ?? [];
  return (
    has(rule.apiGroups, group) &&
    (has(rule.resources, full) ||
      (subresource !== undefined && (rule.resources ?? []).includes(`*/${subresource}`))) &&
    (names.length === 0 || (name !== undefined && names.includes(name)))
  );
}

function has(list: readonly string[] | undefined, item: string): boolean {
  return (list ?? []).some((entry) => entry === "*" || entry === item);
}
