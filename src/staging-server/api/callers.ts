import type { ReviewedUser } from "../../kube-client/access-reviews.ts";
import { isDnsLabel } from "../../values/dns-name.ts";
import { Problem } from "../context/problem.ts";
import type { ServerScope } from "../context/scope.ts";
import { type ApiCall, bearer, header } from "./call.ts";

/** Authenticates the caller of API v1. @throws Problem UNAUTHENTICATED, UNAVAILABLE */
export function callerOf({ options }: ServerScope, call: ApiCall): Promise<ReviewedUser> {
  return options.access.authenticate(bearer(call, "authorization"));
}

/** Authenticates the caller of API v0, whose `Authorization` is the secret of a bundle. */
export function callerOfV0({ options }: ServerScope, call: ApiCall): Promise<ReviewedUser> {
  const name = "x-staging-authorization";
  return options.access.authenticate(bearer(call, name) ?? header(call, name));
}

/**
 * Requires that the caller may stage files for a namespace.
 *
 * @throws Problem BAD_REQUEST for an invalid namespace name, FORBIDDEN, UNAVAILABLE
 */
export async function requireStaging({ options }: ServerScope, caller: ReviewedUser, namespace: string): Promise<void> {
  if (!isDnsLabel(namespace)) {
    const shown = JSON.stringify(namespace.slice(0, 100));
    throw new Problem("BAD_REQUEST", `${shown} is not a namespace name: use a DNS label of at most 63 characters.`);
  }
  if (await options.access.mayStage(caller, namespace)) return;
  const message = `${caller.name} may not stage files for the namespace ${namespace}: the caller needs permission to create pods there.`;
  throw new Problem("FORBIDDEN", message);
}

/** Returns whether the caller may stage files in the object's namespace. Callers report other objects as not found. */
export async function canAccess(
  { options }: ServerScope,
  caller: ReviewedUser,
  found: { readonly namespace: string } | undefined,
): Promise<boolean> {
  return found !== undefined && (await options.access.mayStage(caller, found.namespace));
}
