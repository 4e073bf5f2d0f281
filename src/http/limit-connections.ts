import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../host/host.ts";

interface LimitOptions {
  readonly maxConnections: number;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  /** Returns whether a request is served although all connections are in use. */
  readonly isHealthCheck: (path: string) => boolean;
  /** Reports that connections were closed or rejected for lack of free ones; at most once a minute, with their number. */
  readonly onOverload: (count: number) => void;
}

/** The requests of a server's connections. */
interface LimitedConnections {
  /** Registers a request. Returns false if it was rejected because all connections are in use. */
  readonly admit: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Registers an upgrade, whose connection is in use until it closes. Returns false if it must be rejected. */
  readonly admitUpgrade: (request: IncomingMessage) => boolean;
  /** Returns whether a response has begun on a connection. */
  readonly isResponding: (socket: Duplex) => boolean;
}

interface Connection {
  readonly socket: Socket;
  /** Whether all others were in use when it opened, so that it may only check the health. */
  readonly isExtra: boolean;
  /** Requests whose response is not complete. An upgrade remains. */
  readonly running: Set<IncomingMessage | ServerResponse>;
}

/** Connections beyond the limit, for health checks and for responses that say why a request is rejected. */
const extraConnections = 16;
const reportIntervalMs = 60_000;
const lingerMs = 2_000;

/**
 * Limits the open connections of a server. At the limit, a new connection replaces the one that has been without a request for the longest
 * time, as in nginx. If all have one, a new connection may only check the health; other requests get 503.
 */
export function limitConnections(server: Server, options: LimitOptions): LimitedConnections {
  const { maxConnections, clock, isHealthCheck } = options;
  /** By peer, the longest idle first: a TLS connection has another socket than its requests. */
  const open = new Map<string, Connection>();
  const report = overloadReport(options);
  server.maxConnections = maxConnections + extraConnections;
  server.on("drop", report);
  server.on("connection", (socket: Socket) => {
    const peer = peerOf(socket);
    // The client has closed the connection already.
    if (peer === undefined) return void socket.destroy();
    const isFull = open.size >= maxConnections;
    const idle = isFull ? [...open.values()].find(({ running }) => running.size === 0) : undefined;
    if (isFull) report();
    idle?.socket.destroy();
    const connection = {
      socket,
      isExtra: isFull && idle === undefined,
      running: new Set<IncomingMessage | ServerResponse>(),
    };
    open.set(peer, connection);
    socket.once("close", () => {
      if (open.get(peer) === connection) open.delete(peer);
    });
  });
  const connectionOf = (socket: Socket) => open.get(peerOf(socket) ?? "");
  const end = (peer: string, response: ServerResponse) => {
    const connection = open.get(peer);
    if (connection?.running.delete(response) !== true) return;
    open.delete(peer);
    open.set(peer, connection);
  };
  return {
    admit(request, response) {
      const peer = peerOf(request.socket) ?? "";
      const connection = open.get(peer);
      connection?.running.add(response);
      response.once("close", () => end(peer, response));
      response.once("finish", () => closeUnread(request, clock));
      if (connection?.isExtra !== true || isHealthCheck(request.url?.split("?")[0] ?? "")) return true;
      const text = "The server has too many connections.\n";
      const headers = { "retry-after": "5", connection: "close", "content-type": "text/plain" };
      response.writeHead(503, headers).end(text);
      return false;
    },
    admitUpgrade(request) {
      const connection = connectionOf(request.socket);
      connection?.running.add(request);
      return connection?.isExtra !== true;
    },
    isResponding(socket) {
      const running = socket instanceof Socket ? connectionOf(socket)?.running : undefined;
      return [...(running ?? [])].some((response) => !("headersSent" in response) || response.headersSent);
    },
  };
}

/** Closes the connection of a client that is still sending some time after the complete response. */
function closeUnread(request: IncomingMessage, clock: LimitOptions["clock"]): void {
  if (request.complete) return;
  const cancel = clock.after(lingerMs, () => request.socket.destroy());
  request.once("end", cancel).once("close", cancel);
}

/** Identifies a connection; `undefined` if it is closed. */
function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string | undefined {
  return remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort} ${localAddress}`;
}

function overloadReport({ clock, onOverload }: LimitOptions): () => void {
  let [count, lastMs] = [0, Number.NEGATIVE_INFINITY];
  return () => {
    count += 1;
    if (clock.monotonic() < lastMs + reportIntervalMs) return;
    lastMs = clock.monotonic();
    onOverload(count);
    count = 0;
  };
}
