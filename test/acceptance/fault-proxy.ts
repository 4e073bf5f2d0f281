import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { ApiRequest, Transport } from "../../src/kube/transport.ts";

/** A request that reached the proxy. */
export interface RecordedRequest {
  /** Number in order of arrival, from 1; includes watches and reads. */
  readonly number: number;
  /** `WATCH` for a watch. */
  readonly method: string;
  readonly path: string;
}

/**
 * Outcome of a request: it passes, it hangs before or after the API has carried it out, or it meets a fault.
 * `lost` cuts the connection after the API has done it, `hang-up` before.
 */
export type RequestOutcome =
  | "pass"
  | "hold-before"
  | "hold-after"
  | "hang-up"
  | "lost"
  | { readonly status: number; readonly message: string; readonly reason: string };

export interface FaultProxy {
  readonly url: string;
  readonly visits: readonly RecordedRequest[];
  /** Resolves when a request is held. */
  readonly held: Promise<RecordedRequest>;
  readonly close: () => Promise<void>;
}

/** Starts an HTTP server on loopback in front of an API without a socket; `decide` selects the outcome of each request. */
export async function openFaultProxy(
  transport: Transport,
  decide: (visit: RecordedRequest) => RequestOutcome,
): Promise<FaultProxy> {
  const visits: RecordedRequest[] = [];
  let reportHeld: (visit: RecordedRequest) => void = () => {};
  const held = new Promise<RecordedRequest>((resolve) => {
    reportHeld = resolve;
  });
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const path = request.url ?? "/";
    const method = /[?&]watch=(true|1)\b/.test(path) ? "WATCH" : (request.method ?? "GET");
    const visit = { number: visits.length + 1, method, path };
    visits.push(visit);
    const fate = decide(visit);
    if (typeof fate === "object") return refuse(response, fate);
    if (fate === "hang-up") return request.socket.destroy();
    if (fate === "hold-before") return reportHeld(visit);
    const reply = await transport(apiRequest(request, body, response));
    if (fate === "hold-after") return reportHeld(visit);
    if (fate === "lost") return request.socket.destroy();
    response.writeHead(reply.status, reply.headers);
    for await (const chunk of reply.body) response.write(chunk);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    visits,
    held,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function apiRequest(request: IncomingMessage, body: Buffer, response: ServerResponse): ApiRequest {
  const controller = new AbortController();
  response.on("close", () => controller.abort());
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return {
    method: methodOf(request),
    path: request.url ?? "/",
    headers: Object.fromEntries(headers),
    ...(body.length > 0 ? { body } : {}),
    signal: controller.signal,
  };
}

function methodOf({ method }: IncomingMessage): ApiRequest["method"] {
  const known = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;
  return known.find((candidate) => candidate === method) ?? "GET";
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function refuse(response: ServerResponse, fault: { status: number; message: string; reason: string }): void {
  const { status: code, message, reason } = fault;
  response.writeHead(code, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason,
      code,
    }),
  );
}
