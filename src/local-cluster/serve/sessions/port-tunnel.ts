import type { Duplex } from "node:stream";
import { createWebSocketStream, type WebSocket } from "ws";
import type { PortSession } from "../../api/pod-sessions.ts";
import { type SpdyStream, serveSpdy } from "../spdy/connection.ts";

/**
 * Connects ports of a pod by SPDY/3.1 streams inside a WebSocket, as kubectl does. Each connection has a stream for errors and
 * one for data, with the same port and request ID.
 *
 * Source: Kubernetes' port forwarding, `portforward.k8s.io`.
 */
export function tunnelPorts(session: PortSession, client: WebSocket): void {
  const waiting = new Map<string, SpdyStream>();
  serveSpdy(createWebSocketStream(client), (stream) => {
    const { streamtype: type, requestid: id = "", port } = stream.headers;
    if (type === "error") {
      waiting.set(id, stream);
      // The client writes nothing to it.
      stream.resume();
      return;
    }
    const errors = waiting.get(id);
    waiting.delete(id);
    if (type !== "data" || errors === undefined) stream.destroy();
    else void forward(session, { data: stream, errors, port: Number(port) });
  });
}

async function forward(
  { connect }: PortSession,
  { data, errors, port }: { readonly data: SpdyStream; readonly errors: SpdyStream; readonly port: number },
): Promise<void> {
  try {
    const connection = await connect(port);
    connection.on("close", () => {
      data.end();
      errors.end();
    });
    pass(data, connection);
    pass(connection, data);
  } catch (error) {
    errors.end(error instanceof Error ? error.message : String(error));
    data.end();
  }
}

function pass(from: Duplex, to: Duplex): void {
  from.on("error", () => to.destroy());
  from.pipe(to);
}
