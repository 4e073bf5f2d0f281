import type { Socket } from "node:net";
import { addressOf } from "../host/address.ts";
import { noConnection, viaProxy } from "../net/proxy/proxy-failure.ts";
import { tunnel } from "../net/proxy/tunnel.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { secureContext } from "./tls.ts";

/** Callbacks of a connection that is being opened. */
export interface Opening {
  /** Called when TCP is connected; the TLS handshake may follow. */
  readonly reached: () => void;
  readonly connected: (socket: Socket) => void;
  readonly failed: (error: Error) => void;
}

/** Opens one connection. @returns a function that aborts it */
export type OpenConnection = (opening: Opening) => () => void;

// A watch may receive nothing for minutes, but a dead peer must be detected.
const keepAliveMs = 10_000;

/** Prepares connections without encryption to a server, or to a proxy for plain HTTP. */
export async function plainConnections(options: ConnectionOptions): Promise<OpenConnection> {
  const { proxy } = options;
  if (proxy !== undefined && proxy.protocol !== "http:") return forwardedConnections(options, proxy);
  const net = await import("node:net");
  const { host, port } = addressOf(proxy ?? options.server);
  return ({ failed, ...rest }) => {
    const fail = (error: Error) => failed(proxy === undefined ? error : viaProxy(error, proxy));
    return follow(options, net.connect({ host, port }), "connect", { ...rest, failed: fail });
  };
}

/** Prepares connections through a proxy that forwards bytes, or that itself uses TLS. */
async function forwardedConnections(options: ConnectionOptions, proxy: URL): Promise<OpenConnection> {
  const open = await tunnel(options, proxy);
  return ({ connected, failed }) => open((socket) => connected(socket), failed);
}

/** Prepares encrypted connections to a server, through the proxy's tunnel if there is one. */
export async function secureConnections(options: ConnectionOptions): Promise<OpenConnection> {
  const [net, tls, context] = await Promise.all([import("node:net"), import("node:tls"), secureContext(options.tls)]);
  const { host, port } = addressOf(options.server);
  const { trustsAll, ignoresHostName } = options.tls;
  // SNI does not allow an IP address. The certificate is checked against it anyway.
  const name = options.tls.serverName ?? (net.isIP(host) === 0 ? host : undefined);
  const openTunnel = options.proxy === undefined ? undefined : await tunnel(options, options.proxy);
  const encrypt = ({ reached, connected, failed }: Opening, inner?: Socket) => {
    // Checking the authority beforehand would cost each submission 1 ms.
    const explain = (error: Error) =>
      void import("./explain-tls.ts").then(({ explainFailure }) => explainFailure(options, error)).then(failed);
    const socket = tls.connect({
      ...(inner === undefined ? { host, port } : { host, socket: inner }),
      ...(name === undefined ? {} : { servername: name }),
      secureContext: context,
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: !trustsAll,
      ...(trustsAll || ignoresHostName ? { checkServerIdentity: () => undefined } : {}),
    });
    return follow(options, socket.once("connect", reached), "secureConnect", {
      ...{ reached, connected },
      failed: explain,
    });
  };
  if (openTunnel === undefined) return (opening) => encrypt(opening);
  return (opening) => {
    let abort = openTunnel((inner) => {
      abort = encrypt(opening, inner);
    }, opening.failed);
    return () => abort();
  };
}

function follow(
  { connectionTimeoutMs, clock }: ConnectionOptions,
  socket: Socket,
  event: "connect" | "secureConnect",
  opening: Opening,
): () => void {
  let isSettled = false;
  const settle = (then: () => void) => {
    if (isSettled) return;
    isSettled = true;
    cancel();
    then();
  };
  const onTimeout = () => socket.destroy(noConnection(connectionTimeoutMs));
  const cancel = connectionTimeoutMs > 0 ? clock.after(connectionTimeoutMs, onTimeout) : () => {};
  socket.setKeepAlive(true, keepAliveMs);
  socket.setNoDelay(true);
  // Never removed: an error without a listener ends the process.
  socket.on("error", (error) => settle(() => opening.failed(error)));
  socket.once(event, () => settle(() => opening.connected(socket)));
  return () => settle(() => socket.destroy());
}
