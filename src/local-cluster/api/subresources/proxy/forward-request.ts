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

/** Headers of a single connection, which are not forwarded. */
const connectionHeaders = ["connection", "keep-alive", "transfer-encoding", "upgrade", "trailer"];

/** Sends one request over an open connection. As in Kubernetes, pod certificates are not verified. */
export function forwardRequest(
  connection: Duplex,
  { target, method, path, headers, body, signal }: Forwarded,
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const socket =
      target.scheme === "https" ? connectByTls({ socket: connection, rejectUnauthorized: false }) : connection;
    socket.on("error", reject);
    signal?.addEventListener("abort", () => socket.destroy(), { once: true });
    const sent = requestOverHttp(
      {
        ...{ method, path, createConnection: () => socket },
        headers: { ...headers, connection: "close", ...lengthOf(method, body) },
      },
      (response) => {
        const kept = Object.entries(response.headers).flatMap(([name, value]) =>
          value === undefined || connectionHeaders.includes(name)
            ? []
            : [[name, Array.isArray(value) ? value.join(", ") : value]],
        );
        resolve({ status: response.statusCode ?? 502, headers: Object.fromEntries(kept), body: response });
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
