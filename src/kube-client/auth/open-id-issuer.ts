import type { Host } from "../../host/host.ts";
import type { ApiRequest } from "../../kube/transport.ts";
import { proxyFor } from "../../net/proxy/proxy-for.ts";
import { type HttpTransport, httpTransport } from "../http.ts";
import { readText } from "../lines.ts";
import { timeLimit } from "../time-limit.ts";
import { isMapping } from "./kubeconfig-file.ts";

/** Request to an issuer. */
export interface RefreshRequest {
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
  /** The next one; often the same. */
  readonly refreshToken: string;
}

const limitMs = 30_000;

/**
 * Asks an issuer for new tokens. Errors are plain and hold no token: their words are for whoever asked.
 *
 * Source: OpenID Connect Discovery 1.0, 4; RFC 6749, 2.3.1 and 6.
 */
export async function refreshTokens(host: Host, request: RefreshRequest): Promise<Refreshed> {
  const { issuer, client, refreshToken } = request;
  const discovery = new URL(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  const found = await ask(host, request, discovery, { method: "GET", headers: {} });
  const endpoint = isMapping(found.body) ? found.body["token_endpoint"] : undefined;
  if (found.status !== 200 || typeof endpoint !== "string" || !URL.canParse(endpoint)) {
    throw new Error(`${discovery.href} answered ${found.status} and names no token_endpoint`);
  }
  const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
  const inBody = { ...grant, client_id: client.id, ...(client.secret && { client_secret: client.secret }) };
  const first = client.secret === "" ? form(inBody) : form(grant, basicOf(client));
  let answer = await ask(host, request, new URL(endpoint), first);
  // Of the two ways to name a client, some issuers take only the second.
  if ([400, 401].includes(answer.status) && client.secret !== "") {
    answer = await ask(host, request, new URL(endpoint), form(inBody));
  }
  return parseTokens(answer, endpoint, refreshToken);
}

interface Answer {
  readonly status: number;
  /** As parsed from JSON; `undefined` when it is none. */
  readonly body: unknown;
}

function parseTokens({ status, body }: Answer, endpoint: string, refreshToken: string): Refreshed {
  const { error, id_token: idToken, refresh_token: next } = isMapping(body) ? body : {};
  if (status !== 200) {
    const told = typeof error === "string" && /^[\w.-]{1,60}$/.test(error) ? ` (${error})` : "";
    throw new Error(`${endpoint} answered ${status}${told} to the refresh-token`);
  }
  if (typeof idToken !== "string") {
    throw new Error(`${endpoint} gave no id_token; the scope openid may not have been asked for at login`);
  }
  return { idToken, refreshToken: typeof next === "string" && next !== "" ? next : refreshToken };
}

function basicOf({ id, secret }: RefreshRequest["client"]): string {
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
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

async function ask(
  host: Host,
  { authority, proxyRules }: RefreshRequest,
  url: URL,
  request: Omit<ApiRequest, "path">,
): Promise<Answer> {
  const { clock, env } = host;
  const limit = timeLimit(clock, limitMs, undefined);
  const server = new URL(url.origin);
  let way: HttpTransport | undefined;
  try {
    const proxy = await proxyFor(server, env, { rules: proxyRules });
    const tls = { authority, trustsAll: false, ignoresHostName: false };
    way = await httpTransport({ server, clock, connectionTimeoutMs: limitMs, proxy, tls });
    const path = `${url.pathname}${url.search}`;
    const headers = { accept: "application/json", "user-agent": "firesteel", ...request.headers };
    const response = await way.transport({ ...request, path, headers, signal: limit.signal });
    return { status: response.status, body: parse(await readText(response.body)) };
  } catch (error) {
    if (limit.isExceeded()) throw new Error(`${url.origin} did not answer within ${limitMs / 1000} s`);
    throw new Error(
      `${url.origin} cannot be asked: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    limit.release();
    way?.close();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
