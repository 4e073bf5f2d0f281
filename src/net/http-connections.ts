import * as http from "node:http";
import * as https from "node:https";
import type { Duplex } from "node:stream";
import { urlToHttpOptions } from "node:url";
import { addressOf } from "../host/address.ts";
import type { Clock } from "../host/host.ts";
import { directAgents, type HttpAgentOptions, type HttpAgents, proxyAgents } from "./http-agents.ts";
import { explainFailure, failedProxyOf, viaProxy } from "./proxy/proxy-failure.ts";
import { proxyAuthorization } from "./proxy/proxy-url.ts";

/** Connection options of a server. */
interface ConnectionChoice extends HttpAgentOptions {
  /** Opens the connections itself, e.g. through a tunnel. For an https URL, TLS is added. */
  readonly connect?: (() => Duplex | Promise<Duplex>) | undefined;
  /** Not used with `connect`. @default no proxy */
  readonly findProxy?: FindProxy | undefined;
}

/** Returns the proxy for a server, e.g. from the environment; `undefined` for none. */
export type FindProxy = (server: URL) => Promise<URL | undefined>;

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** A stream is sent chunk by chunk. Set `content-length` if it is known. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Throws Node's error if the connection ends before the body. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Discards the unread rest. */
  readonly close: () => void;
  /** Fails the body unless it ends within this time. Returns a function that removes the limit. @default no limit */
  readonly limitTime?: (ms: number) => () => void;
}

export interface HttpConnections {
  /** Rejects with Node's error without a response. Does not follow redirects. */
  readonly send: (request: HttpRequest) => Promise<HttpResponse>;
  readonly close: () => void;
}

/** Time without data after which a connection has failed. */
const idleLimitMs = 60_000;

/** Creates a pool of connections, which are reused until `close`. */
export function httpConnections(choice: ConnectionChoice): HttpConnections {
  const { clock, connect, findProxy = async () => undefined } = choice;
  const direct = directAgents(choice, connect);
  const proxied = new Map<string, HttpAgents>();
  const agentsFor = async (server: URL) => {
    const proxy = connect === undefined ? await findProxy(server) : undefined;
    if (proxy === undefined) return direct;
    const httpAgents = proxied.get(proxy.href) ?? proxyAgents(choice, proxy);
    proxied.set(proxy.href, httpAgents);
    return httpAgents;
  };
  return {
    send: async (request) => exchange(request, await agentsFor(request.url), clock),
    close: () => {
      for (const httpAgents of [direct, ...proxied.values()]) httpAgents.close();
    },
  };
}

/** Time limit of a body that is held in memory: servers may send some bytes a minute while they work, but not forever. */
const bodyLimitMs = 600_000;

/** Reads the body as text. @throws Error if it is longer than `limitBytes`, or does not end within 10 minutes */
export async function readText(response: HttpResponse, limitBytes = 16 * 1024 * 1024): Promise<string> {
  return (await readBytes(response, limitBytes)).toString("utf8");
}

/** Reads the body. @throws Error as `readText` */
export async function readBytes({ body, close, limitTime }: HttpResponse, limitBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const cancel = limitTime?.(bodyLimitMs);
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > limitBytes) {
        close();
        throw new TooLargeError(`the response is longer than ${limitBytes} bytes`);
      }
      chunks.push(chunk);
    }
  } finally {
    cancel?.();
  }
  return Buffer.concat(chunks);
}

/** Failure to read a body that is too long. */
export class TooLargeError extends Error {}

function exchange(request: HttpRequest, httpAgents: HttpAgents, clock: Clock): Promise<HttpResponse> {
  const { body } = request;
  return new Promise((resolve, reject) => {
    const outgoing = startRequest(request, httpAgents);
    const idle = idleTimeout(clock, (error) => outgoing.destroy(error));
    outgoing.on("error", (error) => {
      idle.stop();
      reject(withProxy(error, request, httpAgents));
    });
    outgoing.once("response", (message) => {
      idle.stop();
      // After a complete response, the connection can be reused.
      const close = () => {
        if (message.complete) message.resume();
        else message.destroy();
      };
      const limitTime = (ms: number) =>
        clock.after(ms, () => message.destroy(new Error(`the response did not end within ${ms / 1000} s`)));
      const status = message.statusCode ?? 0;
      resolve({ status, headers: message.headers, body: withIdleTimeout(message, idle), close, limitTime });
    });
    idle.start();
    sendBody(outgoing, body, idle).catch((error: unknown) => {
      outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
}

/** Sends unencrypted requests to the proxy itself. */
function startRequest({ url, method, headers, signal }: HttpRequest, httpAgents: HttpAgents): http.ClientRequest {
  const { agents, forwarding } = httpAgents;
  const own = { "accept-encoding": "identity", ...headers };
  const options = { method, headers: own, ...(signal === undefined ? {} : { signal }) };
  if (url.protocol === "https:") return https.request(url, { ...options, agent: agents.secure });
  if (forwarding === undefined) return http.request(url, { ...options, agent: agents.plain });
  const { host, port } = addressOf(forwarding);
  const { auth } = urlToHttpOptions(url);
  return http.request({
    ...{ ...options, host, port, path: `${url.origin}${url.pathname}${url.search}`, agent: agents.plain },
    ...(auth == null ? {} : { auth }),
    headers: { ...own, ...proxyAuthorization(forwarding), host: url.host },
  });
}

/** Adds the proxy's address to the message if the proxy failed. */
function withProxy(error: Error, { url, signal }: HttpRequest, { forwarding }: HttpAgents): Error {
  const isForwarded = forwarding !== undefined && url.protocol === "http:" && signal?.aborted !== true;
  const known = isForwarded ? viaProxy(error, forwarding) : error;
  if (failedProxyOf(known) === undefined) return known;
  const code = "code" in error ? { code: error.code } : {};
  return Object.assign(new Error(explainFailure(known), { cause: error }), code);
}

interface IdleTimeout {
  /** Starts the timeout again. */
  readonly start: () => void;
  readonly stop: () => void;
}

function idleTimeout(clock: Clock, fail: (error: Error) => void): IdleTimeout {
  let cancel = () => {};
  const stop = () => {
    cancel();
    cancel = () => {};
  };
  const failIdle = () => fail(Object.assign(new Error(`no data for ${idleLimitMs / 1000} s`), { code: "ETIMEDOUT" }));
  return {
    stop,
    start() {
      cancel();
      cancel = clock.after(idleLimitMs, failIdle);
    },
  };
}

async function* withIdleTimeout(message: http.IncomingMessage, idle: IdleTimeout): AsyncGenerator<Uint8Array> {
  try {
    idle.start();
    for await (const chunk of message) {
      idle.stop();
      yield chunk;
      idle.start();
    }
  } finally {
    idle.stop();
  }
}

async function sendBody(outgoing: http.ClientRequest, body: HttpRequest["body"], idle: IdleTimeout): Promise<void> {
  if (body === undefined || body instanceof Uint8Array) {
    outgoing.end(body);
    return;
  }
  for await (const chunk of body) {
    if (outgoing.destroyed) return;
    if (outgoing.write(chunk)) continue;
    await drained(outgoing);
    if (!outgoing.destroyed && outgoing.writable) idle.start();
  }
  outgoing.end();
}

function drained(outgoing: http.ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    outgoing.on("drain", done);
    outgoing.on("close", done);
  });
}
