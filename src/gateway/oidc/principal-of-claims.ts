import type { Principal } from "../http/gateway-request.ts";
import type { OidcSettings } from "./oidc-settings.ts";

/** Claims of a token that was verified. */
export type Claims = Readonly<Record<string, unknown>>;

/** The user of a token, or why it has none. */
export type ClaimedPrincipal =
  | { readonly ok: true; readonly principal: Principal }
  | { readonly ok: false; readonly reason: string };

type ClaimSettings = Pick<OidcSettings, "usernameClaim" | "usernamePrefix" | "groupsClaim" | "groupsPrefix">;

/** Users and groups of Kubernetes itself: an issuer must not name them, because RBAC gives them permissions. */
const reserved = /^system:/;

/**
 * Returns the user that claims name.
 *
 * Source: kube-apiserver, staging/src/k8s.io/apiserver/plugin/pkg/authenticator/token/oidc. Names of the system are rejected here.
 */
export function principalOfClaims(settings: ClaimSettings, claims: Claims): ClaimedPrincipal {
  const { usernameClaim, usernamePrefix, groupsClaim, groupsPrefix } = settings;
  const name = claims[usernameClaim];
  if (typeof name !== "string" || name === "") return rejected(`the token has no text in the claim ${usernameClaim}`);
  if (usernameClaim === "email" && claims["email_verified"] !== undefined && claims["email_verified"] !== true)
    return rejected("the issuer has not verified the e-mail address");
  const user = `${usernamePrefix}${name}`;
  if (reserved.test(user)) return rejected("the name of the user begins with system:");
  const names = groupsClaim === undefined ? [] : groupNames(claims[groupsClaim]);
  if (names === undefined) return rejected(`the claim ${groupsClaim} is not a list of texts`);
  const groups = names.map((group) => `${groupsPrefix}${group}`).filter((group) => !reserved.test(group));
  return { ok: true, principal: { user, groups } };
}

function groupNames(claim: unknown): readonly string[] | undefined {
  if (claim === undefined || claim === null) return [];
  const list: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  const names = list.flatMap((name) => (typeof name === "string" ? [name] : []));
  return names.length === list.length ? names : undefined;
}

function rejected(reason: string): ClaimedPrincipal {
  return { ok: false, reason };
}
