/** Who sends a request. */
export interface User {
  readonly name: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Members of this group may do everything. */
export const mastersGroup = "system:masters";

/** Somebody without a token. */
export const anonymous: User = {
  name: "system:anonymous",
  uid: undefined,
  groups: ["system:unauthenticated"],
  extra: {},
};

/** The administrator, whose token stands in the kubeconfig. */
export const administrator: User = {
  name: "firesteel-admin",
  uid: undefined,
  groups: [mastersGroup, "system:authenticated"],
  extra: {},
};

/** A service account as a user. */
export function serviceAccountUser(
  { namespace, name, uid }: { namespace: string; name: string; uid: string | undefined },
  extra: User["extra"] = {},
): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
    extra,
  };
}

/** Namespace and name of a user that is a service account. */
export function serviceAccountOf(
  user: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}
