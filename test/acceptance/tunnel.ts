import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Connection through a tunnel. */
export interface TunnelConnection {
  readonly client: Socket;
  /** Socket to the server; its data is passed to the client. */
  readonly inner: Socket;
  /** Breaks both sides. */
  readonly end: () => void;
  /** Sockets of all connections so far, on both sides. */
  readonly ends: readonly Socket[];
}

/** Opens a tunnel to a server and returns its port; `forward` passes on the bytes of clients. */
export async function openTunnel(
  port: number,
  forward: (connection: TunnelConnection) => void,
  host = "127.0.0.1",
): Promise<number> {
  const ends: Socket[] = [];
  const server = createServer((client) => {
    const inner = connect(port, host);
    ends.push(client, inner);
    const end = () => {
      client.destroy();
      inner.destroy();
    };
    for (const socket of [client, inner]) socket.on("error", end).on("close", end);
    inner.pipe(client);
    forward({ client, inner, end, ends });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of ends) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
