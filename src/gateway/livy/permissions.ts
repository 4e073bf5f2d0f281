import type { ApplicationRecord } from "../model/application.ts";
import type { LivySettings } from "../settings.ts";

/** User with whose permissions a request is served; `undefined` without authentication. */
type User = string | undefined;
type Batch = Pick<ApplicationRecord, "owner" | "proxyUser">;
type Access = Pick<LivySettings, "access" | "superusers" | "isImpersonating">;

/** Result of a request to act as another user. */
export type Impersonation =
  | { readonly ok: true; readonly user: User }
  | { readonly ok: false; readonly message: string };

const anyUser = "*";

/** Returns whether a user may use the protocol at all. */
export function isAllowed(user: User, { access, superusers }: Access): boolean {
  if (access === undefined) return true;
  const { allowedUsers, viewUsers, modifyUsers } = access;
  return isListed(user, [...allowedUsers, ...viewUsers, ...modifyUsers, ...superusers]);
}

/** Returns whether a user may read the log of a batch. */
export function mayView(user: User, batch: Batch, { access, superusers }: Access): boolean {
  if (access === undefined || isOwner(user, batch)) return true;
  return isListed(user, [...access.viewUsers, ...access.modifyUsers, ...superusers]);
}

/** Returns whether a user may delete a batch. */
export function mayModify(user: User, batch: Batch, { access, superusers }: Access): boolean {
  if (access === undefined || isOwner(user, batch)) return true;
  return isListed(user, [...access.modifyUsers, ...superusers]);
}

/**
 * Decides whether a user may act as another one. Only superusers may; without authentication, every client is one.
 */
export function impersonate(user: User, target: string, { superusers }: Access): Impersonation {
  const isPermitted = user === undefined || user === target || isListed(user, superusers);
  if (isPermitted) return { ok: true, user: target };
  return { ok: false, message: `User '${user}' not allowed to impersonate '${target}'.` };
}

function isOwner(user: User, { owner, proxyUser }: Batch): boolean {
  return user !== undefined && (user === owner || user === proxyUser);
}

function isListed(user: User, users: readonly string[]): boolean {
  return users.includes(anyUser) || (user !== undefined && users.includes(user));
}
