import { badRequest, forbidden, pathForbidden, type StatusError, unauthorized } from "../status.ts";
import type { Store } from "../store.ts";
import { authorize, type RequestAttributes } from "./authorize.ts";
import { type ClientCertificate, certificateUser } from "./client-certificate.ts";
import type { Tokens } from "./tokens.ts";
import { anonymous, serviceAccountOf, serviceAccountUser, type User } from "./user.ts";

type Headers = Readonly<Record<string, string>>;

/** Credentials of a request. */
interface Credentials {
  readonly headers: Headers;
  readonly certificate?: ClientCertificate | undefined;
}

/**
 * Returns the user of a request: that of its certificate, the owner of its bearer token, the anonymous user, or the user that it
 * impersonates.
 *
 * @throws StatusError 401 for invalid credentials, 403 for an impersonation that is not allowed
 */
export function authenticate(
  { headers, certificate }: Credentials,
  { tokens, store }: { tokens: Tokens; store: Store },
): User {
  const user = identified({ headers, certificate }, tokens);
  if (user === undefined) throw unauthorized();
  return impersonated(headers, user, store);
}

/** Returns the user that credentials name; `undefined` if they are invalid. */
function identified({ headers, certificate }: Credentials, tokens: Tokens): User | undefined {
  if (certificate?.isTrusted === true && certificate.commonName !== "") return certificateUser(certificate);
  const [, token] = /^Bearer +(\S+)/i.exec(headers["authorization"] ?? "") ?? [];
  if (token !== undefined) return tokens.userOf(token);
  return certificate?.isTrusted === false ? undefined : anonymous;
}

function impersonated(headers: Headers, user: User, store: Store): User {
  const name = headers["impersonate-user"] ?? "";
  const groups = (headers["impersonate-group"] ?? "")
    .split(",")
    .map((group) => group.trim())
    .filter((group) => group !== "");
  const extra = Object.entries(headers).filter(([header]) => header.startsWith("impersonate-extra-"));
  if (name === "") {
    const uid = headers["impersonate-uid"] ?? "";
    const requested = [
      ...groups.map((group) => `{Group  ${group}    }`),
      ...extra.map(([header, value]) => {
        return `{UserExtra  ${value}  authentication.k8s.io/v1 ${extraKey(header)} }`;
      }),
      ...(uid === "" ? [] : [`{UID  ${uid}  authentication.k8s.io/v1  }`]),
    ];
    if (requested.length === 0) return user;
    throw badRequest(`requested [${requested.join(" ")}] without impersonating a user`);
  }
  const account = serviceAccountOf(name);
  if (account === undefined) check(store, user, { resource: "users", name });
  else check(store, user, { resource: "serviceaccounts", name: account.name, namespace: account.namespace });
  for (const group of groups) check(store, user, { resource: "groups", name: group });
  const group = "authentication.k8s.io";
  for (const [header, value] of extra) {
    check(store, user, { group, resource: "userextras", subresource: extraKey(header), name: value });
  }
  const uid = headers["impersonate-uid"] || undefined;
  if (uid !== undefined) check(store, user, { group, resource: "uids", name: uid });
  const values = Object.fromEntries(extra.map(([header, value]) => [extraKey(header), [value]]));
  if (account === undefined || groups.length > 0) {
    return { name, uid, groups: withAuthenticated(groups), extra: values };
  }
  return serviceAccountUser({ ...account, uid }, values);
}

/** Decodes the key in the name of a header; as in Kubernetes, one that cannot be decoded stays as it is. */
function extraKey(header: string): string {
  const key = header.slice("impersonate-extra-".length);
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function withAuthenticated(groups: readonly string[]): readonly string[] {
  return groups.includes("system:authenticated") ? groups : [...groups, "system:authenticated"];
}

/** Part of an identity that a user impersonates. */
interface ImpersonatedPart {
  /** @default the core group */
  readonly group?: string;
  readonly resource: "users" | "serviceaccounts" | "groups" | "userextras" | "uids";
  readonly subresource?: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Checks the permission to impersonate. Source: Kubernetes, "User impersonation". @throws StatusError 403 */
function check(store: Store, user: User, part: ImpersonatedPart): void {
  const { group = "", resource, subresource, namespace, name } = part;
  const attributes: RequestAttributes = { verb: "impersonate", group, resource, subresource, namespace, name };
  const { isAllowed, reason } = authorize(store, user, attributes);
  if (!isAllowed) throw denial(user, attributes, reason);
}

/** Builds the 403 status of authorization, with Kubernetes' text. */
export function denial(user: User, attributes: RequestAttributes, reason: string): StatusError {
  const tail = reason === "" ? "" : `: ${reason}`;
  if ("path" in attributes) {
    return pathForbidden(
      `forbidden: User ${JSON.stringify(user.name)} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}${tail}`,
    );
  }
  const { verb, group, resource, subresource, namespace, name } = attributes;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  const scope = namespace === undefined ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const action = `cannot ${verb} resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${scope}`;
  const kind = { group, kind: "", plural: resource };
  return forbidden(kind, name ?? "", `User ${JSON.stringify(user.name)} ${action}${tail}`);
}
