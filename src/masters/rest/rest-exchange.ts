import type { IncomingMessage } from "node:http";
import { abortSignalOf, type StopSignal } from "../../errors/stop-signal.ts";
import type { Host } from "../../host/host.ts";

/** A request to a gateway. */
export interface RestRequest {
  readonly method: "GET" | "POST";
  /** Complete URL, e.g. `http://10.0.0.1:6066/v1/submissions/create`. */
  readonly url: string;
  /** JSON body. */
  readonly body?: string;
  /** Sent only to this server, not after a redirect. */
  readonly token?: string | undefined;
  /** Base64 of SPNEGO, instead of the token; sent only to this server, too. */
  readonly negotiate?: string;
}

/** Response of any status. */
export interface RestReply {
  readonly status: number;
  /** In lower case; empty if absent. */
  readonly contentType: string;
  readonly text: string;
  /** Header `WWW-Authenticate`. */
  readonly challenge?: string | undefined;
}

/** Reason for a missing response. */
export interface ExchangeFailure {
  /**
   * `refused`: no server received the request; `unresolved`: the name has no address; `disconnected`: the connection ended
   * before the response did.
   */
  readonly why: "refused" | "unresolved" | "disconnected" | "timedOut";
  /** Message for users, e.g. `connect ECONNREFUSED 127.0.0.1:6066`. */
  readonly reason: string;
}

/** Outcome of a request. */
export type Exchange =
  | { readonly kind: "response"; readonly reply: RestReply }
  | { readonly kind: "failed"; readonly failure: ExchangeFailure };

export interface ExchangeOptions {
  readonly clock: Host["clock"];
  /** Sends a request again when the connection ends without a response, as Java's client does. */
  readonly repeats: boolean;
  readonly signal?: StopSignal | undefined;
}

/** Sends requests to gateways. Never rejects for failures of the network or the server. */
export type SendRequest = (request: RestRequest, options: ExchangeOptions) => Promise<Exchange>;

/** Response timeout of Spark's client. */
export const responseTimeoutMs = 10_000;

/** Size limit of a response. Typical responses have some hundred bytes; exceptions of the cluster may be longer. */
const maxResponseBytes = 4 * 1024 * 1024;

const maxRedirects = 20;

/** Sends a request over the network and follows redirects. */
export const sendOverNetwork: SendRequest = async (request, options) => {
  const timeout = new AbortController();
  const cancel = options.clock.after(responseTimeoutMs, () => timeout.abort());
  const { signal } = options;
  const either = signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, abortSignalOf(signal)]);
  try {
    const first = await follow(request, either);
    const isDisconnected = first.kind === "failed" && first.failure.why === "disconnected" && !either.aborted;
    const last = isDisconnected && options.repeats ? await follow(request, either) : first;
    if (last.kind === "response" || !timeout.signal.aborted) return last;
    return failed("timedOut", `no response within ${responseTimeoutMs / 1000} s`);
  } finally {
    cancel();
  }
};

async function follow(request: RestRequest, signal: AbortSignal): Promise<Exchange> {
  let next = request;
  for (let followed = 0; followed <= maxRedirects; followed += 1) {
    const exchanged = await sendOnce(next, signal);
    if (exchanged.kind !== "redirected") return exchanged;
    const redirected = redirect(next, exchanged);
    if (redirected === undefined) return { kind: "response", reply: exchanged.reply };
    next = redirected;
  }
  return failed("disconnected", `the server redirects more than ${maxRedirects} times`);
}

type Redirected = { readonly kind: "redirected"; readonly reply: RestReply; readonly location: string };

/** Returns the redirected request. As in Java, only 307 keeps the method POST, and the protocol never changes. */
function redirect(request: RestRequest, { reply, location }: Redirected): RestRequest | undefined {
  if (!URL.canParse(location, request.url)) return undefined;
  const from = new URL(request.url);
  const to = new URL(location, from);
  if (to.protocol !== from.protocol) return undefined;
  const { token, negotiate, ...publicRequest } = request;
  const kept = to.origin === from.origin ? request : publicRequest;
  if (reply.status === 307 || request.method === "GET") return { ...kept, url: to.href };
  const { body: _, ...bodiless } = kept;
  return { ...bodiless, method: "GET", url: to.href };
}

const redirectStatuses = [300, 301, 302, 303, 307];

async function sendOnce(request: RestRequest, signal: AbortSignal): Promise<Exchange | Redirected> {
  const { request: sendRequest } = await import("node:http");
  const { method, url, body, token, negotiate } = request;
  const authorization = negotiate === undefined ? token && `Bearer ${token}` : `Negotiate ${negotiate}`;
  const headers = {
    accept: "*/*",
    connection: "close",
    ...(body === undefined ? {} : { "content-type": "application/json", charset: "utf-8" }),
    ...(method === "POST" ? { "content-length": String(Buffer.byteLength(body ?? "")) } : {}),
    ...(authorization === undefined ? {} : { authorization }),
  };
  return new Promise((resolve) => {
    let isConnected = false;
    const fail = (error: Error) => resolve(failureOf(error, isConnected));
    const sent = sendRequest(url, { method, headers, signal, agent: false }, (message) => {
      readReply(message).then((reply) => {
        const { location } = message.headers;
        const isRedirect = redirectStatuses.includes(reply.status) && location !== undefined;
        resolve(isRedirect ? { kind: "redirected", reply, location } : { kind: "response", reply });
      }, fail);
    });
    sent.on("socket", (socket) => socket.once("connect", () => (isConnected = true)));
    sent.on("error", fail);
    sent.end(body);
  });
}

async function readReply(message: IncomingMessage): Promise<RestReply> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of message) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > maxResponseBytes) throw new Error(`the response exceeds ${maxResponseBytes} bytes`);
  }
  return {
    status: message.statusCode ?? 0,
    contentType: (message.headers["content-type"] ?? "").toLowerCase(),
    text: Buffer.concat(chunks).toString("utf8"),
    challenge: message.headers["www-authenticate"],
  };
}

function failureOf(error: Error, isConnected: boolean): Exchange {
  const code = "code" in error ? String(error.code) : "";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return failed("unresolved", error.message);
  return failed(isConnected ? "disconnected" : "refused", error.message);
}

export function failed(why: ExchangeFailure["why"], reason: string): Extract<Exchange, { readonly kind: "failed" }> {
  return { kind: "failed", failure: { why, reason } };
}
