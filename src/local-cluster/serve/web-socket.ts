import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { respondAndClose } from "../../http/reject-malformed.ts";
import type { ApiResponse } from "../../kube/transport.ts";
import type { Api, ServedResponse } from "../api/server.ts";
import type { OpenRequest } from "./open-request.ts";
import { maxMessageBytes } from "./sessions/backlog.ts";
import { type RawConnection, serveSession } from "./sessions/serve-session.ts";

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
 * Serves a watch over a WebSocket: one text frame per event, closed with 1000 at the end. Passes sessions to `serveSession`.
 * Rejects by plain HTTP responses.
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

/** Sends a message, and waits until it has left this process: a slow client needs no more memory. */
function sent(client: WebSocket, message: string): Promise<void> {
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
