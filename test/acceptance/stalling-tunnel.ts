import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A way to a server that comes to a halt once, without closing anything. */
export interface StallingTunnel {
  readonly port: number;
  /** Resolves when nothing passes any more. */
  readonly stalled: Promise<void>;
  /** What clients have sent. */
  readonly sentBytes: () => number;
}

/** Halts all connections that are there when so many bytes have come; later ones pass. */
export async function stallingTunnel(port: number, limitBytes: number): Promise<StallingTunnel> {
  const ends: Socket[] = [];
  let sentBytes = 0;
  let isOver = false;
  let tellStalled = () => {};
  const stalled = new Promise<void>((resolve) => {
    tellStalled = resolve;
  });
  const server = createServer((client) => {
    const inner = connect(port, "127.0.0.1");
    ends.push(client, inner);
    const end = () => {
      client.destroy();
      inner.destroy();
    };
    for (const socket of [client, inner]) socket.on("error", end).on("close", end);
    inner.pipe(client);
    client.on("data", (chunk) => {
      sentBytes += chunk.length;
      if (!inner.write(chunk)) client.pause();
      if (isOver || sentBytes < limitBytes) return;
      isOver = true;
      for (const socket of ends) socket.pause().removeAllListeners("drain");
      tellStalled();
    });
    inner.on("drain", () => client.resume());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of ends) socket.destroy();
    server.close();
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    stalled,
    sentBytes: () => sentBytes,
  };
}
