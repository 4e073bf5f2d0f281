import type { Socket } from "node:net";
import { addressOf } from "./address.ts";
import type { Connect, ConnectionOptions } from "./connection-options.ts";
import { noConnection, viaProxy } from "./network-error.ts";
import { secureContext } from "./tls.ts";
import { tunnel } from "./tunnel.ts";

/** Ms of silence after which a peer is probed: a watch may be silent for minutes, and a dead peer is to be noticed. */
export const keepAliveMs = 10_000;

/** Connections to a server without encryption, or to the proxy that takes such requests. */
export async function plainConnections(options: ConnectionOptions): Promise<Connect> {
  const { proxy } = options;
  if (proxy !== undefined && proxy.protocol !== "http:") return proxiedConnections(options, proxy);
  const net = await import("node:net");
  const { host, port } = addressOf(proxy ?? options.server);
  return (opened) => {
    const socket = net.connect({ host, port });
    if (proxy !== undefined) {
      socket.once("error", (error) => {
        if (!isStanding(socket)) viaProxy(error, proxy);
      });
    }
    opened(null, limitOpening(options, socket, "connect"));
  };
}

/** The same where the proxy forwards bytes, or is itself spoken to by TLS. */
async function proxiedConnections(options: ConnectionOptions, proxy: URL): Promise<Connect> {
  const open = await tunnel(options, proxy);
  return (opened) =>
    open((error, socket) => {
      if (socket !== undefined) standing.add(socket);
      opened(error, socket);
    });
}

/** Encrypted connections to a server, through the proxy's tunnel if there is one. */
export async function secureConnections(options: ConnectionOptions): Promise<Connect> {
  const [net, tls, context] = await Promise.all([
    import("node:net"),
    import("node:tls"),
    secureContext(options.tls),
  ]);
  const { host, port } = addressOf(options.server);
  const { trustsAll, ignoresHostName } = options.tls;
  // No name may be sent for an address; it is checked against the certificate all the same.
  const name = options.tls.serverName ?? (net.isIP(host) === 0 ? host : undefined);
  const openTunnel = options.proxy === undefined ? undefined : await tunnel(options, options.proxy);
  return (opened) => {
    const encrypt = (inner: Socket | undefined) => {
      const socket = tls.connect({
        ...(inner === undefined ? { host, port } : { host, socket: inner }),
        ...(name === undefined ? {} : { servername: name }),
        secureContext: context,
        ALPNProtocols: ["http/1.1"],
        rejectUnauthorized: !trustsAll,
        ...(trustsAll || ignoresHostName ? { checkServerIdentity: () => undefined } : {}),
      });
      opened(null, limitOpening(options, socket, "secureConnect"));
    };
    if (openTunnel === undefined) encrypt(undefined);
    else openTunnel((error, inner) => (error === null ? encrypt(inner) : opened(error)));
  };
}

const standing = new WeakSet<Socket>();

/** Whether a connection that was opened here stands, its encryption included. */
export function isStanding(socket: Socket | null): boolean {
  return socket !== null && standing.has(socket);
}

function limitOpening(
  { connectionTimeoutMs, clock }: ConnectionOptions,
  socket: Socket,
  event: string,
): Socket {
  socket.setKeepAlive(true, keepAliveMs);
  socket.setNoDelay(true);
  socket.once(event, () => standing.add(socket));
  if (connectionTimeoutMs <= 0) return socket;
  const cancel = clock.after(connectionTimeoutMs, () => socket.destroy(noConnection(connectionTimeoutMs)));
  return socket.once(event, cancel).once("close", cancel);
}
