import type { Status } from "./types.ts";

// Text that identifies the admission plug-in. Source: Kubernetes 1.35, ResourceQuota, ServiceAccount,
// PodSecurity, NamespaceLifecycle.
const signs = [
  { sign: /: (?:exceeded|failed) quota: /, code: "SUBMIT_ERR_KUBE_QUOTA" },
  { sign: /: error looking up service account /, code: "SUBMIT_ERR_KUBE_SERVICE_ACCOUNT" },
  { sign: /: violates PodSecurity /, code: "SUBMIT_ERR_KUBE_POD_SECURITY" },
  { sign: / because it is being terminated/, code: "SUBMIT_ERR_KUBE_NAMESPACE_TERMINATING" },
] as const;

/**
 * Classifies a 403: missing permissions, or a rule independent of permissions.
 *
 * Shape of the former: `pods is forbidden: User "ann" cannot create resource "pods" in API group "" …`.
 */
export function forbiddenCode({ message = "", reason }: Pick<Status, "message" | "reason">) {
  const known = signs.find(({ sign }) => sign.test(message));
  if (known !== undefined) return known.code;
  // A 403 without a reason does not come from an API server, but from a proxy before it.
  const isRuled = reason === "Forbidden" && !/User "[^"]*" cannot /.test(message);
  return isRuled ? "SUBMIT_ERR_KUBE_ADMISSION" : "SUBMIT_ERR_KUBE_FORBIDDEN";
}
