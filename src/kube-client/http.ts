import type { IncomingMessage, RequestOptions } from "node:http";
import type { ApiRequest, ApiResponse, Transport } from "../kube/transport.ts";
import { isStanding, keepAliveMs, plainConnections, secureConnections } from "./connection.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { unseen } from "./network-error.ts";
import { proxyAuthorization } from "./proxy.ts";

/** A transport over sockets; `close` ends those that are idle. */
export interface HttpTransport {
  readonly transport: Transport;
  readonly close: () => void;
}

// A submission has a watch and a log open at once, and room for two calls.
const maxSockets = 4;

/**
 * Opens nothing yet: connections are made by requests, and kept for the next ones. Encryption is loaded only for https.
 *
 * @throws SUBMIT_ERR_KUBE_AUTH_PEM
 */
export async function httpTransport(options: ConnectionOptions): Promise<HttpTransport> {
  const { Agent, request } = await import("node:http");
  const isPlain = options.server.protocol === "http:";
  const connect = await (isPlain ? plainConnections(options) : secureConnections(options));
  // The agent would open connections by itself, without time limit and tunnel.
  const agent = Object.assign(new Agent({ keepAlive: true, keepAliveMsecs: keepAliveMs, maxSockets }), {
    createConnection: (_: unknown, opened: Parameters<typeof connect>[0]) => connect(opened),
  });
  const transport: Transport = (call) =>
    new Promise((resolve, reject) => {
      const sending = request({ ...toOptions(options, call), agent }, (message) =>
        resolve(toResponse(message)),
      );
      sending.on("error", (error) => reject(isStanding(sending.socket) ? error : unseen(error)));
      sending.end(call.body);
    });
  return { transport, close: () => agent.destroy() };
}

function toOptions({ server, proxy }: ConnectionOptions, call: ApiRequest): RequestOptions {
  const { method, body, signal } = call;
  const path = `${server.pathname.replace(/\/+$/, "")}${call.path}`;
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  const headers = { host: server.host, ...call.headers, ...repeated(call), ...length };
  const common = { method, ...(signal === undefined ? {} : { signal }) };
  // To a proxy the whole URL is sent; one that forwards bytes does not see it.
  if (server.protocol !== "http:" || proxy?.protocol !== "http:") return { ...common, path, headers };
  return {
    ...common,
    path: `${server.origin}${path}`,
    headers: { ...headers, ...proxyAuthorization(proxy) },
  };
}

function repeated({ repeatedHeaders = {} }: ApiRequest): Record<string, string[]> {
  return Object.fromEntries(Object.entries(repeatedHeaders).map(([name, values]) => [name, [...values]]));
}

function toResponse(message: IncomingMessage): ApiResponse {
  const headers = Object.entries(message.headers).map(([name, value]) => [name, String(value)]);
  return { status: message.statusCode ?? 0, headers: Object.fromEntries(headers), body: message };
}
