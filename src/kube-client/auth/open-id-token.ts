import { dirname, resolve } from "node:path";
import { messageOf, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Account } from "./account.ts";
import type { Entry } from "./kubeconfig-file.ts";
import { type Refreshed, refreshTokens } from "./open-id-issuer.ts";
import { readPem } from "./pem.ts";
import { saveTokens } from "./save-tokens.ts";
import { tokenExpiry } from "./token-expiry.ts";

/** A user of an OpenID Connect issuer. */
interface OpenIdUser {
  /** The provider's `config`. */
  readonly config: Entry;
  readonly user: Entry;
  readonly account: Account;
  /** Token that the server rejected, if that is why a new one is required. */
  readonly refused: Account | undefined;
  readonly proxyRules: "kubectl" | "spark";
}

/** Tokens count as expired this much earlier, because clocks differ. */
const earlyMs = 10_000;

/** Tokens from issuers that could not be saved to a file. */
const remembered = new WeakMap<Host, Map<string, Refreshed>>();
/** Refreshes in progress. Some issuers accept a refresh token only once. */
const refreshing = new WeakMap<Host, Map<string, Promise<Refreshed>>>();

/**
 * Completes an account with an id-token: the one in the kubeconfig while it is valid, else a new one, which is saved
 * in the kubeconfig.
 *
 * Source: client-go, plugin/pkg/client/auth/oidc; OpenID Connect Core 1.0, 12.
 *
 * @throws SUBMIT_ERR_KUBE_AUTH_PROVIDER
 */
export async function openIdToken(host: Host, openIdUser: OpenIdUser): Promise<Account> {
  const { config, user, account, refused } = openIdUser;
  const name = `${user.path}\n${user.name}`;
  const last = remembered.get(host)?.get(name);
  const idToken = last?.idToken ?? config.text("id-token");
  if (idToken !== undefined && idToken !== refused?.token && isValid(idToken, host.clock.now())) {
    return withToken(account, idToken);
  }
  const running = mapOf(refreshing, host);
  const refreshed = running.get(name) ?? refresh(host, openIdUser, last);
  running.set(name, refreshed);
  try {
    const tokens = await refreshed;
    return withToken(account, tokens.idToken);
  } finally {
    running.delete(name);
  }
}

async function refresh(
  host: Host,
  { config, user, proxyRules }: OpenIdUser,
  last: Refreshed | undefined,
): Promise<Refreshed> {
  const refuse = (problem: string, cause?: unknown) =>
    submitError(
      "SUBMIT_ERR_KUBE_AUTH_PROVIDER",
      {
        ...{ user: user.name, provider: "oidc", problem },
        advice: "Log in once more with the tool that wrote the kubeconfig, e.g. kubelogin.",
      },
      { cause },
    );
  const issuer = config.text("idp-issuer-url") ?? "";
  const clientId = config.text("client-id") ?? "";
  const refreshToken = last?.refreshToken ?? config.text("refresh-token") ?? "";
  if (issuer === "" || clientId === "") throw refuse("idp-issuer-url and client-id must be given");
  if (!URL.canParse(issuer)) throw refuse("idp-issuer-url is not a URL");
  if (refreshToken === "") throw refuse("the id-token is not valid any more, and there is no refresh-token");
  const file = config.text("idp-certificate-authority");
  const authority = readPem(host.files, "certificate authority of the issuer", [
    {
      data: config.text("idp-certificate-authority-data"),
      file: file === undefined || file === "" ? undefined : resolve(dirname(user.path), file),
    },
  ]);
  const client = { id: clientId, secret: config.text("client-secret") ?? "" };
  const tokens = await refreshTokens(host, { issuer, client, refreshToken, authority, proxyRules }).catch(
    (error: unknown) => {
      throw refuse(messageOf(error), error);
    },
  );
  const isSaved = await saveTokens(host, { user, old: { ...last, refreshToken }, tokens });
  if (isSaved) mapOf(remembered, host).delete(`${user.path}\n${user.name}`);
  else mapOf(remembered, host).set(`${user.path}\n${user.name}`, tokens);
  return tokens;
}

function withToken(account: Account, token: string): Account {
  const end = tokenExpiry(token);
  return { ...account, token, validUntil: end === undefined ? undefined : end - earlyMs };
}

function isValid(token: string, now: number): boolean {
  const end = tokenExpiry(token);
  return end !== undefined && now + earlyMs < end;
}

function mapOf<T>(maps: WeakMap<Host, Map<string, T>>, host: Host): Map<string, T> {
  const map = maps.get(host) ?? new Map<string, T>();
  maps.set(host, map);
  return map;
}
