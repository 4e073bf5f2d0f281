import { request as requestOverHttp } from "node:http";
import type { Duplex } from "node:stream";
import { connect as connectByTls } from "node:tls";
import type { StopSignal } from "../../../../errors/stop-signal.ts";
import type { ApiRequest, ApiResponse } from "../../../../kube/transport.ts";
import type { ProxyTarget } from "./proxy-target.ts";

interface Forwarded {
  readonly target: ProxyTarget;
  readonly method: ApiRequest["method"];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: StopSignal | undefined;
}

/** Of one connection only. */
const ofConnection = ["connection", "keep-alive", "transfer-encoding", "upgrade", "trailer"];

/** Asks over a connection that is open, once. A pod's certificate is not looked at, as Kubernetes does not. */
export function forwardRequest(
  connection: Duplex,
  { target, method, path, headers, body, signal }: Forwarded,
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const socket =
      target.scheme === "https"
        ? connectByTls({ socket: connection, rejectUnauthorized: false })
        : connection;
    socket.on("error", reject);
    signal?.addEventListener("abort", () => socket.destroy(), { once: true });
    const sent = requestOverHttp(
      {
        ...{ method, path, createConnection: () => socket },
        headers: { ...headers, connection: "close", ...lengthOf(method, body) },
      },
      (answer) => {
        const kept = Object.entries(answer.headers).flatMap(([name, value]) =>
          value === undefined || ofConnection.includes(name)
            ? []
            : [[name, Array.isArray(value) ? value.join(", ") : value]],
        );
        resolve({ status: answer.statusCode ?? 502, headers: Object.fromEntries(kept), body: answer });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

function lengthOf(method: string, body: Uint8Array): Record<string, string> {
  const isExpected = method !== "GET" && method !== "HEAD";
  return body.length > 0 || isExpected ? { "content-length": String(body.length) } : {};
}
