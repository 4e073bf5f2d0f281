import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import type { PortSession } from "../../api/pod-sessions.ts";
import { backlogBytes, limitBacklog } from "./backlog.ts";
import { type ChannelProtocol, decodeMessage, encodeMessage } from "./channel-protocol.ts";

/**
 * Connects ports of a pod by channels. The port with index `i` has channel `2i` for data and `2i + 1` for
 * errors. The first message of each channel is the port's number as two bytes, little-endian.
 *
 * Source: Kubernetes' port forwarding for WebSockets.
 */
export function servePorts({ ports, connect }: PortSession, client: WebSocket, protocol: ChannelProtocol): void {
  const connections = ports.map((port, index) => {
    const send = (channel: number, chunk: Uint8Array, whenSent = () => {}) => {
      if (client.readyState === client.OPEN) client.send(encodeMessage(protocol, channel, chunk), whenSent);
    };
    const number = Buffer.from([port & 0xff, port >> 8]);
    send(2 * index, number);
    send(2 * index + 1, number);
    return connect(port).then(
      (connection) => {
        connection.on("data", (chunk) => {
          send(2 * index, chunk, () => connection.resume());
          if (client.bufferedAmount > backlogBytes) connection.pause();
        });
        connection.on("error", () => connection.destroy());
        if (client.readyState !== client.OPEN) connection.destroy();
        return connection;
      },
      (error: Error) => {
        send(2 * index + 1, Buffer.from(error.message));
        return undefined;
      },
    );
  });
  const addToBacklog = limitBacklog(client);
  client.on("message", (data: RawData) => {
    const { channel = -1, content: chunk } = decodeMessage(protocol, data) ?? {};
    const connection = connections[channel / 2];
    if (connection === undefined || chunk === undefined) return;
    const taken = addToBacklog(chunk);
    void connection.then((open) => (open === undefined ? taken() : open.write(chunk, taken)));
  });
  client.on("close", () => {
    for (const connection of connections) void connection.then((open) => open?.destroy());
  });
  void Promise.all(connections.map((connection) => connection.then(whenClosed))).then(() => client.close(1000));
}

function whenClosed(connection: Duplex | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (connection === undefined || connection.destroyed) resolve();
    else connection.once("close", () => resolve());
  });
}
