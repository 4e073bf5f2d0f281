import type { Socket } from "node:net";
import { addressOf } from "../host/address.ts";
import { noConnection, viaProxy } from "../net/proxy/proxy-failure.ts";
import { tunnel } from "../net/proxy/tunnel.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { explainRejection, secureContext } from "./tls.ts";

/** Callbacks while a connection opens. */
export interface Opening {
  /** The peer's machine has answered; encryption may still be to come. */
  readonly reached: () => void;
  readonly stands: (socket: Socket) => void;
  readonly failed: (error: Error) => void;
}

/** Opens one connection. @returns how to give it up */
export type OpenConnection = (opening: Opening) => () => void;

// A watch may be silent for minutes, and a dead peer is to be noticed.
const keepAliveMs = 10_000;

/** Connections to a server without encryption, or to the proxy that takes such requests. */
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

/** The same where the proxy forwards bytes, or is itself spoken to by TLS. */
async function forwardedConnections(options: ConnectionOptions, proxy: URL): Promise<OpenConnection> {
  const open = await tunnel(options, proxy);
  return ({ stands, failed }) => open((socket) => stands(socket), failed);
}

/** Encrypted connections to a server, through the proxy's tunnel if there is one. */
export async function secureConnections(options: ConnectionOptions): Promise<OpenConnection> {
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
  const encrypt = ({ reached, stands, failed }: Opening, inner?: Socket) => {
    const explain = (told: Error) => void explainRejection(options.tls, told).then(failed);
    const socket = tls.connect({
      ...(inner === undefined ? { host, port } : { host, socket: inner }),
      ...(name === undefined ? {} : { servername: name }),
      secureContext: context,
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: !trustsAll,
      ...(trustsAll || ignoresHostName ? { checkServerIdentity: () => undefined } : {}),
    });
    return follow(options, socket.once("connect", reached), "secureConnect", {
      ...{ reached, stands },
      failed: explain,
    });
  };
  if (openTunnel === undefined) return (opening) => encrypt(opening);
  return (opening) => {
    let giveUp = openTunnel((inner) => {
      giveUp = encrypt(opening, inner);
    }, opening.failed);
    return () => giveUp();
  };
}

function follow(
  { connectionTimeoutMs, clock }: ConnectionOptions,
  socket: Socket,
  event: "connect" | "secureConnect",
  opening: Opening,
): () => void {
  let isOver = false;
  const once = (then: () => void) => {
    if (isOver) return;
    isOver = true;
    cancel();
    then();
  };
  const giveUpAfter = () => socket.destroy(noConnection(connectionTimeoutMs));
  const cancel = connectionTimeoutMs > 0 ? clock.after(connectionTimeoutMs, giveUpAfter) : () => {};
  socket.setKeepAlive(true, keepAliveMs);
  socket.setNoDelay(true);
  // Stays for good: an error that nobody hears ends the program.
  socket.on("error", (error) => once(() => opening.failed(error)));
  socket.once(event, () => once(() => opening.stands(socket)));
  return () => once(() => socket.destroy());
}
