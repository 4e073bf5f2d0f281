import { openTunnel } from "./tunnel.ts";

/** A way to a server that comes to a halt once, without closing anything. */
export interface StallingTunnel {
  readonly port: number;
  /** Resolves when nothing passes any more. */
  readonly stalled: Promise<void>;
  /** What clients have sent. */
  readonly sentBytes: () => number;
}

/** Halts all connections that are there when so many bytes have come; later ones pass. */
export async function stallingTunnel(portBehind: number, limitBytes: number): Promise<StallingTunnel> {
  let sentBytes = 0;
  let isClosed = false;
  let reportStalled = () => {};
  const stalled = new Promise<void>((resolve) => {
    reportStalled = resolve;
  });
  const port = await openTunnel(portBehind, ({ client, inner, ends }) => {
    client.on("data", (chunk) => {
      sentBytes += chunk.length;
      if (!inner.write(chunk)) client.pause();
      if (isClosed || sentBytes < limitBytes) return;
      isClosed = true;
      for (const socket of ends) socket.pause().removeAllListeners("drain");
      reportStalled();
    });
    inner.on("drain", () => client.resume());
  });
  return { port, stalled, sentBytes: () => sentBytes };
}
