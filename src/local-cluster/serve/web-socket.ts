import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { ApiResponse } from "../../kube/transport.ts";
import type { Api } from "../api/server.ts";
import type { OpenRequest } from "./open-request.ts";
import { type RawConnection, serveSession } from "./sessions/serve-session.ts";

const sockets = new WebSocketServer({
  noServer: true,
  // The first protocol that a client offers is taken: what follows is the same for all.
  handleProtocols: (offered) => [...offered][0] ?? false,
});

/** A client that is this far behind is dropped. */
const backlogBytes = 16 * 1024 * 1024;

export interface Upgrade extends RawConnection {
  readonly opening: OpenRequest;
}

/**
 * Serves a watch over a WebSocket, one text frame an event, closed with 1000 when it ends, or hands the connection over to
 * what gets into a pod. Refusals are plain answers.
 */
export async function serveUpgrade(api: Api, { request, socket, head, opening }: Upgrade): Promise<void> {
  socket.on("error", () => socket.destroy());
  const abort = new AbortController();
  socket.on("close", () => abort.abort());
  const answer = await api({ ...opening, signal: abort.signal });
  if (answer.session !== undefined) {
    const problem = serveSession(answer.session, { request, socket, head });
    if (problem !== undefined) await refuse({ status: 403, headers: {}, body: once(problem) }, socket);
    return;
  }
  const isStream = answer.status === 200 && answer.headers["content-length"] === undefined;
  if (!isStream || request.headers.upgrade?.toLowerCase() !== "websocket") {
    await refuse(answer, socket);
    return;
  }
  // As a Kubernetes server does, whatever the origin is that is named.
  if (request.headers.origin === undefined) {
    abort.abort();
    await refuse({ status: 403, headers: {}, body: answer.body }, socket);
    return;
  }
  sockets.handleUpgrade(request, socket, head, (client) => {
    stream(answer, client).catch(() => client.terminate());
  });
}

async function stream({ body }: ApiResponse, client: WebSocket): Promise<void> {
  client.on("error", () => client.terminate());
  for await (const chunk of body) {
    if (client.readyState !== client.OPEN) break;
    client.send(Buffer.from(chunk).toString("utf8").trimEnd());
    if (client.bufferedAmount > backlogBytes) client.terminate();
  }
  client.close(1000);
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function refuse({ status, headers, body }: ApiResponse, socket: Duplex): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const content = Buffer.concat(chunks);
  const all = { ...headers, connection: "close", "content-length": String(content.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n`;
  socket.end(Buffer.concat([Buffer.from(start), content]));
}
