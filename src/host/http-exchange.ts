import * as http from "node:http";
import * as https from "node:https";
import type { Duplex } from "node:stream";
import * as tls from "node:tls";
import type { Clock } from "./host.ts";

/** How a server is reached. */
export interface ConnectionChoice {
  readonly clock: Clock;
  /** PEM of the authorities that may vouch for it. @default the system's */
  readonly authority?: string | undefined;
  /** Opens a connection some other way, e.g. through a tunnel; TLS goes over it where the URL wants that. */
  readonly connect?: ((to: Remote) => Duplex | Promise<Duplex>) | undefined;
}

/** The other end of a connection. */
export interface Remote {
  readonly host: string;
  readonly port: number;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** Sent as it comes; set `content-length` where it is known. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Throws Node's error when the connection ends before the body does. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Gives up what was not read. */
  readonly close: () => void;
}

export interface HttpConnections {
  /** Rejects with Node's error when there is no answer. Redirects are answers. */
  readonly send: (request: HttpRequest) => Promise<HttpAnswer>;
  readonly close: () => void;
}

/** A connection on which nothing moves for so long has failed. */
const idleLimitMs = 60_000;

/** Keeps connections for further requests until it is closed. */
export function httpConnections({ clock, authority, connect }: ConnectionChoice): HttpConnections {
  // A stream that is no socket cannot be kept by Node.
  const options = { keepAlive: connect === undefined, ...(authority === undefined ? {} : { ca: authority }) };
  const agents = { plain: new http.Agent(options), secure: new https.Agent(options) };
  if (connect !== undefined) {
    const opening = async ({ host, port }: RemoteOptions) =>
      connect({ host: host ?? "", port: Number(port) });
    Object.assign(agents.plain, {
      createConnection: (given: RemoteOptions, opened: Opened) =>
        void opening(given).then((stream) => opened(null, stream), opened),
    });
    Object.assign(agents.secure, {
      createConnection: (given: tls.ConnectionOptions, opened: Opened) =>
        void opening({ host: given.host, port: given.port }).then(
          (socket) => opened(null, tls.connect({ ...given, socket })),
          opened,
        ),
    });
  }
  return {
    send: (request) => exchange(request, agents, clock),
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

interface RemoteOptions {
  readonly host?: string | undefined;
  readonly port?: number | string | undefined;
}

/** The whole body as text. @throws Error when it is longer than `limitBytes` */
export async function readText({ body, close }: HttpAnswer, limitBytes = 16 * 1024 * 1024): Promise<string> {
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

/** How Node's agents are told. */
type Opened = (error: Error | null, stream?: Duplex) => void;

interface Agents {
  readonly plain: http.Agent;
  readonly secure: https.Agent;
}

function exchange(request: HttpRequest, agents: Agents, clock: Clock): Promise<HttpAnswer> {
  const { url, method, signal, body } = request;
  const headers = { "accept-encoding": "identity", ...request.headers };
  const options = { method, headers, ...(signal === undefined ? {} : { signal }) };
  return new Promise((resolve, reject) => {
    const sending =
      url.protocol === "https:"
        ? https.request(url, { ...options, agent: agents.secure })
        : http.request(url, { ...options, agent: agents.plain });
    const idle = idleGuard(clock, (error) => sending.destroy(error));
    sending.on("error", (error) => {
      idle.rest();
      reject(error);
    });
    sending.once("response", (message) => {
      idle.rest();
      // A connection on which an answer is over can be used again.
      const close = () => {
        if (message.complete) message.resume();
        else message.destroy();
      };
      const status = message.statusCode ?? 0;
      resolve({ status, headers: message.headers, body: watched(message, idle), close });
    });
    idle.wait();
    sendBody(sending, body, idle).catch((error: unknown) => {
      sending.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
}

interface IdleGuard {
  /** From now on something must come. */
  readonly wait: () => void;
  readonly rest: () => void;
}

function idleGuard(clock: Clock, fail: (error: Error) => void): IdleGuard {
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

async function* watched(message: http.IncomingMessage, idle: IdleGuard): AsyncGenerator<Uint8Array> {
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

async function sendBody(
  sending: http.ClientRequest,
  body: HttpRequest["body"],
  idle: IdleGuard,
): Promise<void> {
  if (body === undefined || body instanceof Uint8Array) {
    sending.end(body);
    return;
  }
  for await (const chunk of body) {
    if (sending.destroyed) return;
    if (sending.write(chunk)) continue;
    await drained(sending);
    if (!sending.destroyed && sending.writable) idle.wait();
  }
  sending.end();
}

function drained(sending: http.ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      sending.off("drain", done);
      sending.off("close", done);
      resolve();
    };
    sending.on("drain", done);
    sending.on("close", done);
  });
}
