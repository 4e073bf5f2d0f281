import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientError,
  calculatePKCECodeChallenge,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import type { Issuer } from "./issuer.ts";
import type { OidcSettings } from "./oidc-settings.ts";
import type { VerifiedToken } from "./verify-bearer.ts";

/** Values with which a login that has started recognizes its end. */
export interface PendingLogin {
  readonly state: string;
  readonly nonce: string;
  /** Proof key of the code (RFC 7636). */
  readonly verifier: string;
}

/** Logins by the authorization code flow. Functions reject if the issuer does not respond. */
export interface Login {
  /** Returns the address of the issuer's login page. */
  readonly start: (redirectUrl: string) => Promise<{ readonly url: string; readonly pending: PendingLogin }>;
  /** Exchanges the code in the URL to which the issuer has redirected, for the claims of the user. */
  readonly complete: (redirectedUrl: URL, pending: PendingLogin) => Promise<VerifiedToken>;
  /** Returns the issuer's page for logging out; `undefined` if it has none. */
  readonly endUrl: () => Promise<string | undefined>;
}

interface LoginCall {
  readonly settings: Pick<OidcSettings, "scopes" | "clientId">;
  readonly issuer: () => Promise<Issuer>;
}

/** Codes of errors in the responses of an issuer. */
const invalidResponse = /^OAUTH_(INVALID_RESPONSE|JWT_|JSON_ATTRIBUTE|WWW_AUTHENTICATE)/;

/** Returns the logins at an issuer. */
export function loginAt({ settings, issuer }: LoginCall): Login {
  return {
    async start(redirectUrl) {
      const { configuration } = await issuer();
      const pending = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const url = buildAuthorizationUrl(configuration, {
        ...{ redirect_uri: redirectUrl, scope: settings.scopes.join(" "), state: pending.state, nonce: pending.nonce },
        ...{ code_challenge: await calculatePKCECodeChallenge(pending.verifier), code_challenge_method: "S256" },
      });
      return { url: url.href, pending };
    },
    async complete(redirectedUrl, { state, nonce, verifier }) {
      const { configuration } = await issuer();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      try {
        const tokens = await authorizationCodeGrant(configuration, redirectedUrl, checks);
        return { ok: true, claims: tokens.claims() ?? {} };
      } catch (error) {
        const reason = reasonOf(error);
        if (reason === undefined) throw error;
        return { ok: false, reason };
      }
    },
    async endUrl() {
      const { configuration } = await issuer();
      const { end_session_endpoint: endpoint } = configuration.serverMetadata();
      if (endpoint === undefined) return undefined;
      const url = new URL(endpoint);
      url.searchParams.set("client_id", settings.clientId);
      return url.href;
    },
  };
}

/** Returns why the issuer has rejected a login; `undefined` for a failure to reach it. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return `the issuer responded with ${error.error}`;
  if (error instanceof ClientError && invalidResponse.test(error.code ?? "")) return error.message;
  return undefined;
}
