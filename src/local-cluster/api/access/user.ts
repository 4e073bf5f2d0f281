import type { JsonObject } from "../json.ts";

/** The user of a request. */
export interface User {
  readonly name: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Group whose members have all permissions. */
export const mastersGroup = "system:masters";

/** The user of requests without a token. */
export const anonymous: User = {
  name: "system:anonymous",
  uid: undefined,
  groups: ["system:unauthenticated"],
  extra: {},
};

/** The administrator, whose token is in the kubeconfig. */
export const administrator: User = {
  name: "firesteel-admin",
  uid: undefined,
  groups: [mastersGroup, "system:authenticated"],
  extra: {},
};

/** Returns the user of a service account. */
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

/** Parses the user name of a service account; `undefined` for other users. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** Prints a user as the field `user` of reviews. */
export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
