import type { IncomingMessage } from "node:http";
import type { Host } from "../../host/host.ts";
import { limitLog, type ServerLog } from "../../http/server-log.ts";
import { type Authenticate, anonymous } from "../http/authenticate.ts";
import type { HttpProtocol } from "../http/gateway-request.ts";
import type { PublicUrl } from "../http/public-url.ts";
import { issuerOf } from "../oidc/issuer.ts";
import { issuerFetch } from "../oidc/issuer-fetch.ts";
import { loginAt } from "../oidc/login.ts";
import { loginPaths, loginProtocol, loginTarget } from "../oidc/login-protocol.ts";
import type { OidcSettings } from "../oidc/oidc-settings.ts";
import { type Claims, principalOfClaims } from "../oidc/principal-of-claims.ts";
import { openSessions } from "../oidc/sessions.ts";
import { verifyBearer } from "../oidc/verify-bearer.ts";
import { readSecretFile } from "../secrets/read-secret-file.ts";
import type { SealedValues } from "../secrets/sealed-values.ts";
import { tokenAuthentication } from "./token.ts";

interface OidcCall {
  readonly host: Pick<Host, "clock" | "env" | "files">;
  readonly settings: OidcSettings;
  readonly sealed: SealedValues;
  readonly publicUrl: PublicUrl;
  readonly log: ServerLog;
}

/**
 * Opens the authentication by OpenID Connect: bearer tokens of the issuer, and sessions of browsers.
 *
 * @throws SubmitError SUBMIT_ERR_GATEWAY_FILE
 */
export function openOidc(call: OidcCall): { readonly authenticate: Authenticate; readonly protocol: HttpProtocol } {
  const { host, settings, sealed, publicUrl } = call;
  const log = limitLog(call.log, host.clock);
  const { clientSecretFile, authorityFile, issuer: name, clientId } = settings;
  const read = (option: string, path: string | undefined) =>
    path === undefined ? undefined : readSecretFile(host.files, option, path);
  const clientSecret = read("--oidc-client-secret-file", clientSecretFile);
  const fetch = issuerFetch(host, read("--oidc-ca-file", authorityFile));
  const issuer = issuerOf({ settings, clientSecret, fetch });
  const principalOf = (claims: Claims) => principalOfClaims(settings, claims);
  const verify = async (token: string) => {
    const verified = await verifyBearer({ clock: host.clock, settings, issuer }, token);
    const claimed = verified.ok ? principalOf(verified.claims) : verified;
    if (claimed.ok) return claimed.principal;
    log("WARN", "A token was rejected.", { reason: claimed.reason });
    return undefined;
  };
  const bearer = tokenAuthentication({ verify, schemes: ["Bearer"], log });
  const sessions = openSessions({ sealed, realm: `${name} ${clientId}`, isSecure: publicUrl.isSecure });
  const login = loginAt({ settings, issuer });
  return {
    protocol: loginProtocol({ login, sessions, sealed, publicUrl, principalOf, log: call.log }),
    async authenticate(request, path) {
      if (loginPaths.includes(path)) return anonymous;
      const principal = request.headers.authorization === undefined ? sessions.read(request.headers) : undefined;
      if (principal !== undefined) return { kind: "accepted", principal };
      const result = await bearer(request, path);
      if (result.kind === "accepted" || !isNavigation(request)) return result;
      const query = /\?.*$/.exec(request.url ?? "")?.[0] ?? "";
      const location = loginTarget(publicUrl.root, `${path}${query}`);
      return { kind: "rejected", rejection: { status: 302, message: "Log in.", headers: { location } } };
    },
  };
}

/** Returns whether a browser shows the response as a page. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  if (method !== "GET" || headers.authorization !== undefined) return false;
  const { "sec-fetch-mode": mode, accept = "" } = headers;
  return mode === undefined ? accept.includes("text/html") : mode === "navigate";
}
