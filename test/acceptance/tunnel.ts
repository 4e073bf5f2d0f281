import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** What becomes of a connection through a tunnel. */
export interface TunnelConnection {
  readonly client: Socket;
  /** To the server; what it sends reaches the client by itself. */
  readonly inner: Socket;
  /** Breaks both sides. */
  readonly end: () => void;
  /** Both sides of all connections so far. */
  readonly ends: readonly Socket[];
}

/** Opens a way to a server for a test, and gives its port; what clients send is passed on by `carry`. */
export async function openTunnel(
  port: number,
  carry: (connection: TunnelConnection) => void,
): Promise<number> {
  const ends: Socket[] = [];
  const server = createServer((client) => {
    const inner = connect(port, "127.0.0.1");
    ends.push(client, inner);
    const end = () => {
      client.destroy();
      inner.destroy();
    };
    for (const socket of [client, inner]) socket.on("error", end).on("close", end);
    inner.pipe(client);
    carry({ client, inner, end, ends });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of ends) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
