import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import type { PortSession } from "../../api/pod-sessions.ts";

/**
 * Connects ports of a pod by channels, `v4.channel.k8s.io`: of the port with index `i`, data have channel `2i` and failures
 * `2i + 1`; the first message of each is the port's number, two bytes, the low one first.
 *
 * Source: Kubernetes' port forwarding for WebSockets.
 */
export function servePorts({ ports, connect }: PortSession, client: WebSocket): void {
  const connections = ports.map((port, index) => {
    const send = (channel: number, chunk: Uint8Array) => {
      if (client.readyState === client.OPEN) client.send(Buffer.concat([Buffer.from([channel]), chunk]));
    };
    const number = Buffer.from([port & 0xff, port >> 8]);
    send(2 * index, number);
    send(2 * index + 1, number);
    return connect(port).then(
      (connection) => join(connection, { send: (chunk) => send(2 * index, chunk), client }),
      (error: Error) => {
        send(2 * index + 1, Buffer.from(error.message));
        return undefined;
      },
    );
  });
  client.on("message", (data: RawData) => {
    const [channel = 0, ...rest] = Buffer.isBuffer(data) ? [data[0], data.subarray(1)] : [];
    const [chunk] = rest;
    if (channel % 2 !== 0 || chunk === undefined) return;
    void connections[channel / 2]?.then((connection) => connection?.write(chunk));
  });
  client.on("close", () => {
    for (const connection of connections) void connection.then((open) => open?.destroy());
  });
  void Promise.all(connections.map((connection) => connection.then(whenClosed))).then(() =>
    client.close(1000),
  );
}

function join(
  connection: Duplex,
  { send, client }: { readonly send: (chunk: Uint8Array) => void; readonly client: WebSocket },
): Duplex {
  connection.on("data", send);
  connection.on("error", () => connection.destroy());
  if (client.readyState !== client.OPEN) connection.destroy();
  return connection;
}

function whenClosed(connection: Duplex | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (connection === undefined || connection.destroyed) resolve();
    else connection.once("close", () => resolve());
  });
}
