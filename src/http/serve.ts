import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { SecureContextOptions, TlsOptions } from "node:tls";
import type { Clock } from "../host/host.ts";
import { type ConnectionLimits, defaultConnectionLimits, serverOptions } from "./connection-limits.ts";
import { limitConnections } from "./limit-connections.ts";
import { listenOn } from "./listen-on.ts";
import { lengthOf } from "./message-body.ts";
import { rejectMalformed } from "./reject-malformed.ts";

/** A request and its response. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Options of a server. */
export interface ServeOptions {
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly tls?: TlsOptions | undefined;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  readonly limits?: Partial<ConnectionLimits>;
  /** Reports that connections were closed or rejected for lack of free ones; at most once a minute, with their number. */
  readonly onOverload: (count: number) => void;
  /** Paths that are served although all connections are in use. */
  readonly healthPaths: readonly string[];
  /** Answers; what it throws cuts the connection. */
  readonly respond: (exchange: HttpExchange) => Promise<void>;
}

/** An open server. */
export interface HttpServer {
  readonly port: number;
  /** For the connections from now on. */
  readonly setSecureContext: (context: SecureContextOptions) => void;
  /** Takes no new connections, and waits for running requests; what still runs after `drainMs` is cut off. */
  readonly close: (drainMs: number) => Promise<void>;
}

/** Limits for reading a rejected body: in all, and the wait for its next piece. */
const linger = { bytes: 64 * 1024 * 1024, totalMs: 10_000, idleMs: 2_000 };

/** Opens a server. @throws Node's error, e.g. EADDRINUSE */
export async function openHttpServer(options: ServeOptions): Promise<HttpServer> {
  const { tls, clock, onOverload, healthPaths } = options;
  const limits = { ...defaultConnectionLimits, ...options.limits };
  const common = serverOptions(limits);
  const secure = tls === undefined ? undefined : createTlsServer({ ...common, ...tls });
  const server = secure ?? createServer(common);
  const isHealthCheck = (path: string) => healthPaths.includes(path);
  const connections = limitConnections(server, { ...limits, clock, isHealthCheck, onOverload });
  const take = (request: IncomingMessage, response: ServerResponse) => {
    if (connections.admit(request, response)) options.respond({ request, response }).catch(() => response.destroy());
  };
  server.on("request", take);
  // Leave to send a body is given when it is read.
  server.on("checkContinue", take);
  server.on("clientError", (error, socket) => {
    if (connections.isResponding(socket)) socket.destroy();
    else rejectMalformed(error, socket);
  });
  const port = await listenOn(server, options);
  return {
    port,
    setSecureContext: (context) => secure?.setSecureContext(context),
    close: (drainMs) => close(server, clock, drainMs),
  };
}

/**
 * Responds before the body of the request is read. Keeps reading for a short time, because closing the connection would
 * discard the response at a client that is still sending.
 */
export async function refuse(
  { request, response }: HttpExchange,
  clock: Pick<Clock, "after">,
  { status, headers, body }: { status: number; headers: Readonly<Record<string, string>>; body: Buffer },
): Promise<void> {
  const isRead = !hasBody(request) || request.complete;
  const all = { ...headers, "content-length": body.length, ...(isRead ? {} : { connection: "close" }) };
  response.writeHead(status, all);
  if (request.method !== "HEAD") response.write(body);
  if (!isRead && request.headers.expect === undefined) await discardBody(request, clock);
  response.end();
}

/** Returns whether a request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  return lengthOf(request) > 0 || request.headers["transfer-encoding"] !== undefined;
}

/**
 * Reads what a client still sends, within limits: closing the connection before would discard the response
 * at a client that reads it only after its body is sent.
 */
export function discardBody(request: IncomingMessage, clock: Pick<Clock, "after">): Promise<void> {
  return new Promise((resolve) => {
    const cancelTotal = clock.after(linger.totalMs, done);
    let cancelIdle = clock.after(linger.idleMs, done);
    let sizeBytes = 0;
    const onPiece = (piece: Buffer) => {
      cancelIdle();
      sizeBytes += piece.length;
      if (sizeBytes >= linger.bytes) done();
      else cancelIdle = clock.after(linger.idleMs, done);
    };
    function done(): void {
      cancelTotal();
      cancelIdle();
      request.off("data", onPiece);
      request.pause();
      resolve();
    }
    request.on("data", onPiece).once("end", done).once("close", done).once("error", done);
    request.resume();
  });
}

/** Maximum time in which the other side reads what was written. */
interface ReadTimeout {
  readonly clock: Pick<Clock, "after">;
  readonly ms: number;
}

/** Writes as fast as the other side reads; false when it has gone, or has not read the piece in time. */
export async function writePiece(response: ServerResponse, piece: Uint8Array, timeout?: ReadTimeout): Promise<boolean> {
  if (response.destroyed) return false;
  if (response.write(piece)) return true;
  await new Promise<void>((resolve) => {
    const cancel = timeout?.clock.after(timeout.ms, () => response.destroy());
    const done = () => {
      cancel?.();
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
  });
  return !response.destroyed;
}

function close(server: Server, clock: Pick<Clock, "after">, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(drainMs, () => server.closeAllConnections());
    server.close(() => {
      cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}
