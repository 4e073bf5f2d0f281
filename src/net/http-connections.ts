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
export interface ConnectionChoice extends HttpAgentOptions {
  /** Opens a connection some other way, e.g. through a tunnel; TLS goes over it where the URL wants that. */
  readonly connect?: (() => Duplex | Promise<Duplex>) | undefined;
  /** @default none, and none with `connect` */
  readonly findProxy?: FindProxy | undefined;
}

/** Finds the proxy on the way to a server, e.g. that of the environment. */
export type FindProxy = (server: URL) => Promise<URL | undefined>;

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** Sent as it comes; set `content-length` where it is known. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Throws Node's error when the connection ends before the body does. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Gives up what was not read. */
  readonly close: () => void;
}

export interface HttpConnections {
  /** Rejects with Node's error when there is no answer. Redirects are answers. */
  readonly send: (request: HttpRequest) => Promise<HttpResponse>;
  readonly close: () => void;
}

/** A connection on which nothing moves for so long has failed. */
const idleLimitMs = 60_000;

/** Keeps connections for further requests until it is closed. */
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

/** The whole body as text. @throws Error when it is longer than `limitBytes` */
export async function readText({ body, close }: HttpResponse, limitBytes = 16 * 1024 * 1024): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limitBytes) {
      close();
      throw new Error(`the answer is longer than ${limitBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function exchange(request: HttpRequest, httpAgents: HttpAgents, clock: Clock): Promise<HttpResponse> {
  const { body } = request;
  return new Promise((resolve, reject) => {
    const outgoing = startRequest(request, httpAgents);
    const idle = idleTimeout(clock, (error) => outgoing.destroy(error));
    outgoing.on("error", (error) => {
      idle.rest();
      reject(explained(error, request, httpAgents));
    });
    outgoing.once("response", (message) => {
      idle.rest();
      // A connection on which an answer is over can be used again.
      const close = () => {
        if (message.complete) message.resume();
        else message.destroy();
      };
      const status = message.statusCode ?? 0;
      resolve({ status, headers: message.headers, body: withIdleTimeout(message, idle), close });
    });
    idle.wait();
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
  // The user of the server's own URL.
  const { auth } = urlToHttpOptions(url);
  return http.request({
    ...{ ...options, host, port, path: `${url.origin}${url.pathname}${url.search}`, agent: agents.plain },
    ...(auth == null ? {} : { auth }),
    headers: { ...own, ...proxyAuthorization(forwarding), host: url.host },
  });
}

/** With the proxy's name where it was that which failed; else Node's error as it is. */
function explained(error: Error, { url, signal }: HttpRequest, { forwarding }: HttpAgents): Error {
  const isForwarded = forwarding !== undefined && url.protocol === "http:" && signal?.aborted !== true;
  const known = isForwarded ? viaProxy(error, forwarding) : error;
  if (failedProxyOf(known) === undefined) return known;
  const code = "code" in error ? { code: error.code } : {};
  return Object.assign(new Error(explainFailure(known), { cause: error }), code);
}

interface IdleTimeout {
  /** From now on something must come. */
  readonly wait: () => void;
  readonly rest: () => void;
}

function idleTimeout(clock: Clock, fail: (error: Error) => void): IdleTimeout {
  let cancel = () => {};
  const rest = () => {
    cancel();
    cancel = () => {};
  };
  const failIdle = () =>
    fail(Object.assign(new Error(`nothing came for ${idleLimitMs / 1000} s`), { code: "ETIMEDOUT" }));
  return {
    rest,
    wait() {
      cancel();
      cancel = clock.after(idleLimitMs, failIdle);
    },
  };
}

async function* withIdleTimeout(message: http.IncomingMessage, idle: IdleTimeout): AsyncGenerator<Uint8Array> {
  try {
    idle.wait();
    for await (const chunk of message) {
      idle.rest();
      yield chunk;
      idle.wait();
    }
  } finally {
    idle.rest();
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
    if (!outgoing.destroyed && outgoing.writable) idle.wait();
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
