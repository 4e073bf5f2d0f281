import type { ServerOptions } from "node:http";

/** Limits of a server's connections. A request or response that makes progress has no time limit. */
export interface ConnectionLimits {
  /** Open connections. Beyond it, idle ones are closed and new ones rejected. */
  readonly maxConnections: number;
  /** Time until the headers of a request are complete, from the connection's start or from the request's first byte. */
  readonly headersMs: number;
  /** Time of a TLS handshake. */
  readonly handshakeMs: number;
  /** Time between two requests. */
  readonly keepAliveMs: number;
  /** Request line and headers. */
  readonly maxHeaderBytes: number;
}

/** Default limits. `headersMs` and `keepAliveMs` are those of kube-apiserver's `http.Server`. */
export const defaultConnectionLimits: ConnectionLimits = {
  maxConnections: 1024,
  headersMs: 32_000,
  handshakeMs: 10_000,
  keepAliveMs: 90_000,
  maxHeaderBytes: 16 * 1024,
};

/** Idle time after which the system checks whether a client that sends nothing still exists. */
const probeAfterMs = 60_000;

/** Returns the options of Node's HTTP or HTTPS server that apply the limits, all but `maxConnections`. */
export function serverOptions({ headersMs, handshakeMs, keepAliveMs, maxHeaderBytes }: ConnectionLimits) {
  return {
    // Node's `requestTimeout` would end long uploads. Readers of bodies check for progress.
    requestTimeout: 0,
    // Without a `requestTimeout`, Node has no default for this.
    headersTimeout: headersMs,
    connectionsCheckingInterval: Math.min(1000, headersMs / 4),
    handshakeTimeout: handshakeMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: maxHeaderBytes,
    keepAlive: true,
    keepAliveInitialDelay: probeAfterMs,
    noDelay: true,
  } satisfies ServerOptions & { readonly handshakeTimeout: number };
}
