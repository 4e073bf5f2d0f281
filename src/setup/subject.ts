import type { Subject } from "kubernetes-types/rbac/v1.d.ts";
import { isDnsLabel, isDnsSubdomain } from "../values/dns-name.ts";

/** API group of roles and bindings. */
export const accessGroup = "rbac.authorization.k8s.io";

/** Builds the subject of a service account. */
export function accountSubject(namespace: string, name: string): Subject {
  return { kind: "ServiceAccount", name, namespace };
}

/**
 * Parses `user:NAME`, `group:NAME`, `serviceaccount:NAME` and `serviceaccount:NAMESPACE:NAME`; `undefined` for another text.
 *
 * @param namespace namespace of an account without one
 */
export function parseSubject(text: string, namespace: string): Subject | undefined {
  const [, kind, name = ""] = /^([a-z]+):(.+)$/s.exec(text) ?? [];
  if (kind === "user") return { kind: "User", apiGroup: accessGroup, name };
  if (kind === "group") return { kind: "Group", apiGroup: accessGroup, name };
  if (kind !== "serviceaccount") return undefined;
  const [account = "", ...namespaces] = name.split(":").reverse();
  const [of = namespace, ...others] = namespaces;
  const isValid = isDnsSubdomain(account) && isDnsLabel(of) && others.length === 0;
  return isValid ? accountSubject(of, account) : undefined;
}
