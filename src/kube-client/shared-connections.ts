import type { Host } from "../host/host.ts";
import type { KubeClient } from "./client.ts";
import { connect } from "./connect.ts";
import type { ConnectOptions, OpenTransport } from "./connect-options.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { type HttpTransport, httpTransport } from "./http.ts";

/**
 * Connections that outlive a submission, for the next one.
 *
 * @example
 * ```ts
 * const connections: SharedConnections = sharedConnections();
 * ```
 */
export interface SharedConnections {
  /** For `submit`: a client of its own for each submission, over connections that all share. */
  readonly openClient: (host: Host, options: ConnectOptions) => Promise<KubeClient>;
  /** Ends the connections; to be called when no submission is on its transport. */
  readonly close: () => void;
}

/**
 * Lets many submissions of one process share connections. Those to the same server, by the same proxy, with the same
 * certificates are shared. Each request carries its own credentials, so accounts may differ.
 *
 * @param openTransport how connections are made; default: over the network
 *
 * @example
 * ```ts
 * const { openClient, close } = sharedConnections();
 * try {
 *   await submit({ host: nodeHost(), invocation, openClient });
 * } finally {
 *   close();
 * }
 * ```
 */
export function sharedConnections(openTransport: OpenTransport = httpTransport): SharedConnections {
  const transports = new Map<string, Promise<HttpTransport>>();
  const open = async (options: ConnectionOptions): Promise<HttpTransport> => {
    const key = keyOf(options);
    const known = transports.get(key) ?? openTransport(options);
    transports.set(key, known);
    try {
      return { ...(await known), close: () => {} };
    } catch (error) {
      transports.delete(key);
      throw error;
    }
  };
  return {
    openClient: (host, options) => connect(host, options, open),
    close() {
      for (const transport of transports.values())
        void transport.then(
          ({ close }) => close(),
          () => {},
        );
      transports.clear();
    },
  };
}

function keyOf({ server, proxy, tls, connectionTimeoutMs }: ConnectionOptions): string {
  return JSON.stringify([server.href, proxy?.href, tls, connectionTimeoutMs]);
}
