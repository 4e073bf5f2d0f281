import type { Socket } from "node:net";
import { addressOf } from "./address.ts";
import type { Connect, ConnectionOptions } from "./connection-options.ts";
import { noConnection } from "./network-error.ts";
import { proxyAuthorization } from "./proxy.ts";

/** Connections through an HTTP proxy that forwards bytes. Source: RFC 9110, 9.3.6 (CONNECT). */
export async function tunnel(
  { server, connectionTimeoutMs, clock }: ConnectionOptions,
  proxy: URL,
): Promise<Connect> {
  const { request } = proxy.protocol === "https:" ? await import("node:https") : await import("node:http");
  const target = addressOf(server);
  const authority = `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`;
  return (opened) => {
    const { host, port } = addressOf(proxy);
    const headers = { host: authority, ...proxyAuthorization(proxy) };
    const asking = request({ host, port, method: "CONNECT", path: authority, headers, agent: false });
    const cancel =
      connectionTimeoutMs > 0
        ? clock.after(connectionTimeoutMs, () => asking.destroy(noConnection(connectionTimeoutMs)))
        : () => {};
    asking.once("connect", ({ statusCode = 0 }, socket: Socket) => {
      cancel();
      if (statusCode >= 200 && statusCode < 300) return opened(null, socket);
      socket.destroy();
      opened(new Error(`the proxy ${proxy.host} answered ${statusCode}`));
    });
    asking.once("error", (error) => {
      cancel();
      opened(error);
    });
    asking.end();
  };
}
