import type { AccessReviews } from "../../kube-client/access-reviews.ts";
import type { Authorize } from "../http/authenticate.ts";
import type { GatewayAction } from "../model/permissions.ts";

/** Permissions of RBAC that correspond to the actions. */
const rules: Readonly<Record<GatewayAction, { readonly verb: string; readonly subresource?: string }>> = {
  submit: { verb: "create" },
  read: { verb: "get" },
  readLog: { verb: "get", subresource: "log" },
  kill: { verb: "delete" },
};

interface PermissionsCall {
  readonly reviews: AccessReviews;
  /** Namespaces of applications, that of applications that name none first. */
  readonly namespaces: readonly string[];
}

/** Permissions that the cluster decides: what the user may do with the pods of a namespace. */
export function kubernetesPermissions({ reviews, namespaces }: PermissionsCall): Authorize {
  const [defaultNamespace = ""] = namespaces;
  return async ({ user, groups, uid, extra = {} }) => {
    if (user === undefined) return { user, allows: () => false, canReadSome: false };
    const subject = { name: user, uid, groups, extra };
    const reviewed = namespaces.flatMap((namespace) =>
      Object.entries(rules).map(async ([action, rule]) => {
        const isAllowed = await reviews.isAllowed(subject, { namespace, resource: "pods", ...rule });
        return isAllowed ? [`${action} ${namespace}`] : [];
      }),
    );
    const allowed = new Set((await Promise.all(reviewed)).flat());
    const allows = (action: GatewayAction, namespace = defaultNamespace) => allowed.has(`${action} ${namespace}`);
    return { user, groups, allows, canReadSome: namespaces.some((namespace) => allows("read", namespace)) };
  };
}
