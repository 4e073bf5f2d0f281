import { messageOf } from "../../errors/message-of.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { cookieName, printCookie, readCookie } from "../http/cookies.ts";
import type { GatewayRequest, GatewayResponse, HttpProtocol } from "../http/gateway-request.ts";
import type { PublicUrl } from "../http/public-url.ts";
import type { SealedValues } from "../secrets/sealed-values.ts";
import type { Login, PendingLogin } from "./login.ts";
import { loginPage } from "./login-page.ts";
import type { ClaimedPrincipal, Claims } from "./principal-of-claims.ts";
import type { Sessions } from "./sessions.ts";

interface LoginScope {
  readonly login: Login;
  readonly sessions: Sessions;
  readonly sealed: SealedValues;
  readonly publicUrl: PublicUrl;
  readonly principalOf: (claims: Claims) => ClaimedPrincipal;
  readonly log: ServerLog;
}

/** A login that a browser has started. */
interface StartedLogin extends PendingLogin {
  /** Path and query to which it returns, without the root. */
  readonly target: string;
}

const root = "/oidc";
const paths = {
  ...{
    login: `${root}/login`,
    callback: `${root}/callback`,
    logout: `${root}/logout`,
    loggedOut: `${root}/logged-out`,
  },
};
/** Paths that are served without a session. */
export const loginPaths: readonly string[] = Object.values(paths);
/** Path that ends a session. */
export const logoutPath = paths.logout;

const purpose = "login";
const loginLimitMs = 10 * 60 * 1000;
/** A path of this server in printable ASCII: browsers read `//` and backslashes as the start of a host name. */
const ownTarget = /^\/(?!\/)[!-[\]-~]{0,1000}$/;

/** Returns the path of a login that returns to a path. */
export function loginTarget(publicRoot: string, target: string): string {
  return `${publicRoot}${paths.login}?${new URLSearchParams({ target })}`;
}

/** Logs browsers in and out. */
export function loginProtocol(scope: LoginScope): HttpProtocol {
  return {
    name: "login",
    owns: (path) => loginPaths.includes(path),
    respond: (request) => respond(scope, request),
    reject: ({ status, message, headers }) => loginPage({ status, text: message, links: [], headers }),
  };
}

async function respond(scope: LoginScope, request: GatewayRequest): Promise<GatewayResponse> {
  const { method, path } = request;
  const allowed = path === paths.logout ? "POST" : "GET";
  if (method !== allowed) return { status: 405, headers: { allow: allowed } };
  try {
    if (path === paths.login) return await start(scope, request);
    if (path === paths.callback) return await complete(scope, request);
    if (path === paths.loggedOut) return await showLoggedOut(scope);
    return {
      status: 303,
      headers: { location: `${scope.publicUrl.root}${paths.loggedOut}`, "set-cookie": scope.sessions.end() },
    };
  } catch (error) {
    scope.log("WARN", "The issuer of OpenID Connect does not respond.", { reason: messageOf(error) });
    const text = "The issuer of OpenID Connect does not respond, so users cannot log in now.";
    return loginPage({ status: 503, text, links: [again(scope)], headers: { "retry-after": "5" } });
  }
}

async function start(scope: LoginScope, { query, headers }: GatewayRequest): Promise<GatewayResponse> {
  const { login, sealed, publicUrl } = scope;
  const requested = query.get("target") ?? "";
  const target = ownTarget.test(requested) ? requested : "/ui";
  const { url, pending } = await login.start(`${publicUrl.originFor(headers)}${publicUrl.root}${paths.callback}`);
  const value = sealed.seal(purpose, { ...pending, target }, loginLimitMs);
  const cookie = { name: stateCookie(scope), value, maxAgeSeconds: loginLimitMs / 1000, isSecure: publicUrl.isSecure };
  return { status: 302, headers: { location: url, "set-cookie": printCookie(cookie) } };
}

async function complete(scope: LoginScope, { query, headers }: GatewayRequest): Promise<GatewayResponse> {
  const { login, sessions, sealed, publicUrl, principalOf, log } = scope;
  const started = parseStarted(sealed.open(purpose, readCookie(headers.cookie, stateCookie(scope)) ?? ""));
  if (started === undefined || query.get("state") !== started.state)
    return loginPage({
      status: 400,
      text: "This login has expired, or started in another window.",
      links: [again(scope)],
    });
  const url = new URL(`${publicUrl.originFor(headers)}${publicUrl.root}${paths.callback}?${query}`);
  const verified = await login.complete(url, started);
  const claimed = verified.ok ? principalOf(verified.claims) : verified;
  if (!claimed.ok) {
    log("WARN", "A login was rejected.", { reason: claimed.reason });
    return loginPage({ status: 403, text: `The login was rejected: ${claimed.reason}.`, links: [again(scope)] });
  }
  const { user, groups } = claimed.principal;
  const cookie = sessions.start(claimed.principal);
  if (cookie === undefined) {
    const text = `Your ${groups.length} groups do not fit into a cookie. Ask the administrator to let the issuer name fewer.`;
    return loginPage({ status: 403, text, links: [] });
  }
  log("INFO", "audit", { action: "login", user, result: "accepted" });
  return { status: 302, headers: { location: `${publicUrl.root}${started.target}`, "set-cookie": cookie } };
}

async function showLoggedOut(scope: LoginScope): Promise<GatewayResponse> {
  const issuerUrl = await scope.login.endUrl().catch(() => undefined);
  const issuer =
    issuerUrl === undefined ? [] : [{ href: issuerUrl, text: `Log out of ${new URL(issuerUrl).host}, too` }];
  return loginPage({ status: 200, text: "You are logged out of the gateway.", links: [again(scope), ...issuer] });
}

function again({ publicUrl }: LoginScope) {
  return { href: loginTarget(publicUrl.root, "/ui"), text: "Log in again" };
}

function stateCookie({ publicUrl }: LoginScope): string {
  return cookieName("firesteel-login", publicUrl.isSecure);
}

function parseStarted(value: unknown): StartedLogin | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!("state" in value && "nonce" in value && "verifier" in value && "target" in value)) return undefined;
  const { state, nonce, verifier, target } = value;
  const texts = { state: String(state), nonce: String(nonce), verifier: String(verifier), target: String(target) };
  return texts;
}
