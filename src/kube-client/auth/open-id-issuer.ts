import type { Host } from "../../host/host.ts";
import type { ApiRequest } from "../../kube/transport.ts";
import { basicAuthorization } from "../../net/basic-authorization.ts";
import { proxyFor } from "../../net/proxy/proxy-for.ts";
import { type HttpTransport, httpTransport } from "../http.ts";
import { readText } from "../lines.ts";
import { timeLimit } from "../time-limit.ts";
import { isMapping } from "./kubeconfig-file.ts";
import { isTokenText } from "./token-text.ts";

/** Request to an issuer. */
interface RefreshRequest {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
  readonly refreshToken: string;
  /** PEM. @default the system's authorities */
  readonly authority: string | undefined;
  readonly proxyRules: "kubectl" | "spark";
}

/** Tokens from an issuer. */
export interface Refreshed {
  readonly idToken: string;
  /** Token for the next refresh. Often the same. */
  readonly refreshToken: string;
}

const limitMs = 30_000;
/** Tokens have a few KiB. Longer responses count as no JSON. */
const maxResponseBytes = 1024 * 1024;

/**
 * Requests new tokens from an issuer. Throws errors without a code and without tokens; the caller adds the context.
 *
 * Source: OpenID Connect Discovery 1.0, 4; RFC 6749, 2.3.1 and 6.
 */
export async function refreshTokens(host: Host, request: RefreshRequest): Promise<Refreshed> {
  const { issuer, client, refreshToken } = request;
  const discovery = new URL(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  const found = await send(host, request, discovery, { method: "GET", headers: {} });
  const endpoint = isMapping(found.body) ? found.body["token_endpoint"] : undefined;
  if (found.status !== 200 || typeof endpoint !== "string" || !URL.canParse(endpoint)) {
    throw new Error(`${discovery.href} responded with ${found.status} and no token_endpoint`);
  }
  if (discovery.protocol === "https:" && new URL(endpoint).protocol !== "https:") {
    throw new Error(`${discovery.href} named a token_endpoint without TLS`);
  }
  const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
  const inBody = { ...grant, client_id: client.id, ...(client.secret && { client_secret: client.secret }) };
  const first = client.secret === "" ? form(inBody) : form(grant, basicOf(client));
  let response = await send(host, request, new URL(endpoint), first);
  // Some issuers accept client credentials only in the body.
  if ([400, 401].includes(response.status) && client.secret !== "") {
    response = await send(host, request, new URL(endpoint), form(inBody));
  }
  return parseTokens(response, endpoint, refreshToken);
}

interface IssuerResponse {
  readonly status: number;
  /** Parsed JSON; `undefined` if the body is not JSON. */
  readonly body: unknown;
}

function parseTokens({ status, body }: IssuerResponse, endpoint: string, refreshToken: string): Refreshed {
  const { error, id_token: idToken, refresh_token: next } = isMapping(body) ? body : {};
  if (status !== 200) {
    const reason = typeof error === "string" && /^[\w.-]{1,60}$/.test(error) ? ` (${error})` : "";
    throw new Error(`${endpoint} responded with ${status}${reason} to the refresh token`);
  }
  if (typeof idToken !== "string") {
    throw new Error(`${endpoint} gave no id_token; the scope openid may not have been asked for at login`);
  }
  if (!isTokenText(idToken)) throw new Error(`${endpoint} gave an id_token that HTTP headers do not allow`);
  return { idToken, refreshToken: typeof next === "string" && next !== "" ? next : refreshToken };
}

function basicOf({ id, secret }: RefreshRequest["client"]): string {
  return basicAuthorization(encodeURIComponent(id), encodeURIComponent(secret));
}

function form(fields: Readonly<Record<string, string>>, authorization?: string): Omit<ApiRequest, "path"> {
  return {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(authorization === undefined ? {} : { authorization }),
    },
    body: new URLSearchParams(fields).toString(),
  };
}

async function send(
  host: Host,
  { authority, proxyRules }: RefreshRequest,
  url: URL,
  request: Omit<ApiRequest, "path">,
): Promise<IssuerResponse> {
  const { clock, env } = host;
  const limit = timeLimit(clock, { ms: limitMs });
  const server = new URL(url.origin);
  let connection: HttpTransport | undefined;
  try {
    const proxy = await proxyFor(server, env, { rules: proxyRules });
    const tls = { authority, trustsAll: false, ignoresHostName: false };
    connection = await httpTransport({ server, clock, connectionTimeoutMs: limitMs, proxy, tls });
    const path = `${url.pathname}${url.search}`;
    const headers = { accept: "application/json", "user-agent": "firesteel", ...request.headers };
    const httpResponse = await connection.transport({ ...request, path, headers, signal: limit.signal });
    const text = await readText(httpResponse.body, maxResponseBytes);
    return { status: httpResponse.status, body: text === undefined ? undefined : parse(text) };
  } catch (error) {
    if (limit.isExceeded()) throw new Error(`${url.origin} did not answer within ${limitMs / 1000} s`);
    throw new Error(`${url.origin} cannot be asked: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    limit.release();
    connection?.close();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
