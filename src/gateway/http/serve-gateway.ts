import type { ServerResponse } from "node:http";
import { messageOf } from "../../errors/message-of.ts";
import { isSubmitError } from "../../errors/submit-error.ts";
import type { Clock } from "../../host/host.ts";
import { BodyError, readBody } from "../../http/message-body.ts";
import { type HttpExchange, refuse, writePiece } from "../../http/serve.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { isTransient } from "../../kube/is-transient.ts";
import { allPermissions, PermissionError, type Permissions } from "../model/permissions.ts";
import { startRequestSpan } from "../tracing/request-span.ts";
import { noTracing, type Tracing } from "../tracing/tracing.ts";
import { type Authenticate, type Authorize, anonymous } from "./authenticate.ts";
import { isCrossOrigin } from "./cross-origin.ts";
import type { GatewayRequest, GatewayResponse, HttpProtocol, Rejection } from "./gateway-request.ts";
import { isAllowedHost } from "./host-names.ts";
import { isBelow } from "./is-below.ts";
import type { AdmitRequest } from "./request-limits.ts";
import { serviceName, servicePaths } from "./service-protocol.ts";

/** Dependencies of a listener, and what it serves. */
export interface GatewayServerCall {
  readonly clock: Pick<Clock, "after" | "monotonic" | "now">;
  readonly log: ServerLog;
  readonly protocols: () => readonly HttpProtocol[];
  /** Serves what belongs to no protocol. */
  readonly fallback: () => HttpProtocol;
  /** Called after each response. @default not reported */
  readonly onResponse?: (protocol: string, status: number, seconds: number) => void;
  readonly authenticate: Authenticate;
  /** @default all clients may do everything */
  readonly authorize?: Authorize;
  /** Host names and ports in the addresses of the gateway's own pages, besides that of the request. @default none */
  readonly ownHosts?: readonly string[];
  /** Applies limits to a request. @default no limits */
  readonly admit?: AdmitRequest;
  /** Host names that clients may use besides those of the loopback address. @default all */
  readonly hostNames?: readonly string[] | undefined;
  /** Prefix of all paths, without a slash at its end; empty for none. */
  readonly prefix: string;
  readonly maxBodyBytes: number;
  /** @default requests are not recorded */
  readonly tracing?: Tracing;
}

const bodyIdleMs = 30_000;
/** Time in which a client reads a part of a stream. */
const readTimeoutMs = 60_000;

/** Headers that Livy sends, too, and that suit all other responses. */
const securityHeaders = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
  "x-xss-protection": "1; mode=block",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'self'; base-uri 'none'",
};

/** Returns the listener of all requests: finds the protocol, authenticates, and writes the response. */
export function gatewayListener(call: GatewayServerCall): (exchange: HttpExchange) => Promise<void> {
  return async (exchange) => {
    const { request } = exchange;
    const target = request.url ?? "/";
    const [fullPath = "/", query = ""] = splitOnce(target, "?");
    const isServed = isBelow(fullPath, call.prefix);
    const path = isServed ? fullPath.slice(call.prefix.length) || "/" : fullPath;
    const handler = (isServed && call.protocols().find(({ owns }) => owns(path))) || call.fallback();
    const gone = new AbortController();
    exchange.response.once("close", () => gone.abort());
    const startedMs = call.clock.monotonic();
    const releases: (() => void)[] = [];
    const onAdmitted = (release: () => void) => void releases.push(release);
    const tracing = handler.name === serviceName ? noTracing : (call.tracing ?? noTracing);
    const span = startRequestSpan({ tracing, clock: call.clock }, { request, path: fullPath, protocol: handler.name });
    let status: number | undefined;
    try {
      const { traceparent } = span;
      const found = { handler, path, query, signal: gone.signal, onAdmitted, traceparent };
      const response = await respond(call, exchange, found);
      ({ status } = response);
      call.onResponse?.(handler.name, response.status, (call.clock.monotonic() - startedMs) / 1000);
      await write(call, exchange, response);
    } finally {
      span.end(status);
      for (const release of releases) release();
    }
  };
}

interface Found {
  readonly handler: HttpProtocol;
  readonly path: string;
  readonly query: string;
  readonly signal: AbortSignal;
  /** Receives the function to call when the request has ended. */
  readonly onAdmitted: (release: () => void) => void;
  readonly traceparent: string | undefined;
}

async function respond(call: GatewayServerCall, exchange: HttpExchange, found: Found): Promise<GatewayResponse> {
  const { request } = exchange;
  const { handler, path, query, signal, onAdmitted, traceparent } = found;
  try {
    if (call.hostNames !== undefined && !isAllowedHost(request.headers.host, call.hostNames))
      return handler.reject(unknownHost);
    const isOpen = servicePaths.includes(path);
    const authenticated = isOpen ? anonymous : await call.authenticate(request, path);
    if (authenticated.kind === "rejected") return handler.reject(authenticated.rejection);
    if (isCrossOrigin(request.method ?? "GET", request.headers, call.ownHosts))
      return handler.reject({ status: 403, message: "A page of another origin must not change applications." });
    const admission = isOpen ? undefined : call.admit?.(authenticated.principal.user);
    if (admission?.ok === false) return handler.reject(admission.rejection);
    if (admission !== undefined) onAdmitted(admission.release);
    const permissions = await permissionsOf(call, authenticated.principal);
    if (permissions === undefined) return handler.reject(unknownPermissions);
    const gatewayRequest: GatewayRequest = {
      ...{ method: request.method ?? "GET", path, query: new URLSearchParams(query), headers: request.headers },
      ...{ principal: authenticated.principal, permissions, signal, traceparent },
      readBody: () => readAll(call, exchange),
    };
    return await handler.respond(gatewayRequest);
  } catch (error) {
    if (error instanceof PermissionError) {
      const { user, message } = error;
      call.log("INFO", "audit", { user, method: request.method, path, result: "denied", reason: message });
      return handler.reject({ status: 403, message });
    }
    if (error instanceof BodyError) return handler.reject(rejectionOf(error));
    if (isSubmitError(error) && isTransient(error)) {
      call.log("WARN", "A request cannot be served now.", { path, reason: messageOf(error) });
      return handler.reject({ status: 503, message: messageOf(error), headers: clusterRetryHeaders });
    }
    call.log("ERROR", "A request failed.", { method: request.method, path, reason: messageOf(error) });
    return handler.reject({ status: 500, message: "The gateway failed; see its log." });
  }
}

/** Headers of a response about a cluster that does not respond now. */
const clusterRetryHeaders = { "retry-after": "5" };

const unknownHost: Rejection = {
  status: 403,
  message: "The header Host names another host than the gateway. If it is a name of the gateway, set --allowed-hosts.",
};
const unknownPermissions: Rejection = {
  status: 503,
  message: "The permissions of the user cannot be verified now.",
  headers: clusterRetryHeaders,
};

/** Returns the permissions of a user; `undefined` if they cannot be decided now. */
async function permissionsOf(
  { authorize, log }: Pick<GatewayServerCall, "authorize" | "log">,
  principal: GatewayRequest["principal"],
): Promise<Permissions | undefined> {
  try {
    return authorize === undefined ? allPermissions : await authorize(principal);
  } catch (error) {
    log("WARN", "The permissions of a user cannot be verified.", { reason: messageOf(error) });
    return undefined;
  }
}

async function readAll(call: GatewayServerCall, exchange: HttpExchange): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const limits = { maxBytes: call.maxBodyBytes, idleMs: bodyIdleMs, clock: call.clock };
  await readBody(exchange, limits, (piece) => void pieces.push(Buffer.from(piece)));
  return Buffer.concat(pieces);
}

function rejectionOf({ kind }: BodyError): Rejection {
  const headers = { connection: "close" };
  if (kind === "tooLarge") return { status: 413, message: "The body of the request is too large.", headers };
  if (kind === "idle") return { status: 408, message: "The body of the request did not arrive in time.", headers };
  return { status: 400, message: "The body of the request ended before its announced length.", headers };
}

async function write(call: GatewayServerCall, exchange: HttpExchange, found: GatewayResponse): Promise<void> {
  const { status, body = "" } = found;
  const headers = { ...securityHeaders, ...found.headers };
  const { response, request } = exchange;
  if (typeof body === "string" || body instanceof Uint8Array) {
    return refuse(exchange, call.clock, { status, headers, body: Buffer.from(body) });
  }
  response.writeHead(status, headers);
  if (request.method !== "HEAD") await writeStream(call, response, body);
  response.end();
}

async function writeStream(
  call: GatewayServerCall,
  response: ServerResponse,
  body: AsyncIterable<string | Uint8Array>,
) {
  for await (const piece of body) {
    if (
      !(await writePiece(response, typeof piece === "string" ? Buffer.from(piece) : piece, {
        clock: call.clock,
        ms: readTimeoutMs,
      }))
    )
      return;
  }
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}
