import type { Socket } from "node:net";
import { addressOf } from "../../host/address.ts";
import type { Clock } from "../../host/host.ts";
import { noConnection, proxyFailure, viaProxy } from "./proxy-failure.ts";
import { isSocks, proxyAuthorization } from "./proxy-url.ts";

/** Target of a tunnel through a proxy. */
interface TunnelOptions {
  readonly server: URL;
  /** 0: no limit. */
  readonly connectionTimeoutMs: number;
  readonly clock: Clock;
}

/** Opens one connection through a proxy. @returns a function that aborts it */
type OpenTunnel = (opened: (socket: Socket) => void, failed: (error: Error) => void) => () => void;

/** Prepares connections to a server through a proxy that forwards bytes. */
export async function tunnel(options: TunnelOptions, proxy: URL): Promise<OpenTunnel> {
  return isSocks(proxy) ? socksTunnel(options, proxy) : httpTunnel(options, proxy);
}

/** Source: RFC 9110, 9.3.6 (CONNECT). */
async function httpTunnel(options: TunnelOptions, proxy: URL): Promise<OpenTunnel> {
  const { request } = proxy.protocol === "https:" ? await import("node:https") : await import("node:http");
  const target = addressOf(options.server);
  const authority = `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`;
  return (opened, failed) => {
    const { host, port } = addressOf(proxy);
    const headers = { host: authority, ...proxyAuthorization(proxy) };
    const outgoing = request({ host, port, method: "CONNECT", path: authority, headers, agent: false });
    const cancel = limit(options, outgoing);
    outgoing.once("connect", ({ statusCode = 0 }, socket: Socket) => {
      cancel();
      if (statusCode >= 200 && statusCode < 300) return opened(socket);
      socket.destroy();
      const isTransient = [502, 503, 504].includes(statusCode);
      failed(proxyFailure(proxy, `it responded with ${statusCode}`, { isTransient, status: statusCode }));
    });
    // An HTTP server that is not a proxy responds to CONNECT as to any other request.
    outgoing.once("response", ({ statusCode = 0 }) => {
      cancel();
      outgoing.destroy();
      failed(proxyFailure(proxy, `it responded with ${statusCode}`, { status: statusCode }));
    });
    outgoing.once("error", (error) => {
      cancel();
      failed(viaProxy(error, proxy));
    });
    outgoing.end();
    return () => {
      cancel();
      outgoing.destroy();
    };
  };
}

async function socksTunnel(options: TunnelOptions, proxy: URL): Promise<OpenTunnel> {
  const [net, { enterSocks }] = await Promise.all([import("node:net"), import("./socks.ts")]);
  return (opened, failed) => {
    const socket = net.connect(addressOf(proxy));
    const cancel = limit(options, socket);
    const fail = (error: Error) => {
      cancel();
      socket.destroy();
      failed(viaProxy(error, proxy));
    };
    socket.once("error", fail);
    socket.once("connect", () => {
      enterSocks(socket, proxy, options.server).then(() => {
        cancel();
        socket.off("error", fail);
        opened(socket);
      }, fail);
    });
    return () => {
      cancel();
      socket.destroy();
    };
  };
}

function limit(
  { connectionTimeoutMs, clock }: TunnelOptions,
  outgoing: { readonly destroy: (error: Error) => unknown },
): () => void {
  if (connectionTimeoutMs <= 0) return () => {};
  return clock.after(connectionTimeoutMs, () => outgoing.destroy(noConnection(connectionTimeoutMs)));
}
