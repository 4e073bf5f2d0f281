import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { respondAndClose } from "../../http/reject-malformed.ts";
import type { ApiResponse } from "../../kube/transport.ts";
import type { Api, ServedResponse } from "../api/server.ts";
import type { OpenRequest } from "./open-request.ts";
import { maxMessageBytes } from "./sessions/backlog.ts";
import { type RawConnection, serveSession } from "./sessions/serve-session.ts";

/** Protocols of a log, with whether its bytes are base64. Source: Kubernetes 1.35, apimachinery/pkg/util/httpstream/wsstream/stream.go. */
const logProtocols: ReadonlyMap<string, boolean> = new Map([
  ["", false],
  ["binary.k8s.io", false],
  ["base64.binary.k8s.io", true],
]);

const logSockets = new WebSocketServer({
  noServer: true,
  maxPayload: maxMessageBytes,
  handleProtocols: (offered) => [...offered].find((name) => logProtocols.has(name)) ?? false,
});

const sockets = new WebSocketServer({
  noServer: true,
  maxPayload: maxMessageBytes,
  // Accept the first offered protocol: all have the same content.
  handleProtocols: (offered) => [...offered][0] ?? false,
});

export interface Upgrade extends RawConnection {
  readonly opening: OpenRequest;
}

/**
 * Serves a watch over a WebSocket: one text frame per event, closed with 1000 at the end. Serves a log as frames of bytes. Passes
 * sessions to `serveSession`. Rejects by plain HTTP responses.
 */
export async function serveUpgrade(api: Api, { request, socket, head, opening }: Upgrade): Promise<void> {
  socket.on("error", () => socket.destroy());
  const abort = new AbortController();
  socket.on("close", () => abort.abort());
  const response = await api({ ...opening, signal: abort.signal });
  if (response.session !== undefined) {
    const problem = serveSession(response.session, { request, socket, head });
    if (problem !== undefined) await reject({ status: 403, headers: {}, body: once(problem) }, socket);
    return;
  }
  const isStream = response.status === 200 && response.headers["content-length"] === undefined;
  if (!isStream || request.headers.upgrade?.toLowerCase() !== "websocket") {
    await reject(response, socket);
    return;
  }
  if (response.headers["content-type"] === "text/plain") {
    const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
    const protocol = offered.find((name) => logProtocols.has(name));
    if (protocol === undefined) {
      abort.abort();
      await reject({ status: 403, headers: {}, body: once("unsupported protocol\n") }, socket);
      return;
    }
    logSockets.handleUpgrade(request, socket, head, (client) => {
      streamLog(response, client, logProtocols.get(protocol) === true).catch(() => client.terminate());
    });
    return;
  }
  // As in Kubernetes, an Origin header is required, whatever its value.
  if (request.headers.origin === undefined) {
    abort.abort();
    await reject({ status: 403, headers: {}, body: response.body }, socket);
    return;
  }
  sockets.handleUpgrade(request, socket, head, (client) => {
    stream(response, client).catch(() => client.terminate());
  });
}

async function stream({ body, onDrop }: ServedResponse, client: WebSocket): Promise<void> {
  client.on("error", () => client.terminate());
  onDrop?.(() => client.terminate());
  for await (const chunk of body) {
    if (client.readyState !== client.OPEN) break;
    await sent(client, Buffer.from(chunk).toString("utf8").trimEnd());
  }
  client.close(1000);
}

/** Sends a log after an empty message, which Kubernetes sends first. */
async function streamLog({ body, onDrop }: ServedResponse, client: WebSocket, isBase64: boolean): Promise<void> {
  client.on("error", () => client.terminate());
  onDrop?.(() => client.terminate());
  const encode = (chunk: Uint8Array) => (isBase64 ? Buffer.from(chunk).toString("base64") : chunk);
  await sent(client, encode(new Uint8Array()));
  for await (const chunk of body) {
    if (client.readyState !== client.OPEN) break;
    if (chunk.length > 0) await sent(client, encode(chunk));
  }
  client.close(1000);
}

/** Sends a message, and waits until it has left this process: a slow client needs no more memory. */
function sent(client: WebSocket, message: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => client.send(message, () => resolve()));
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function reject({ status, headers, body }: ApiResponse, socket: Duplex): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const content = Buffer.concat(chunks);
  const all = { ...headers, connection: "close", "content-length": String(content.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n`;
  respondAndClose(socket, Buffer.concat([Buffer.from(start), content]));
}
