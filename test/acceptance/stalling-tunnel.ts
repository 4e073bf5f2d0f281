import { openTunnel } from "./tunnel.ts";

/** Tunnel to a server that stalls once without closing a connection. */
export interface StallingTunnel {
  readonly port: number;
  /** Resolves when the tunnel stalls. */
  readonly stalled: Promise<void>;
  /** Bytes that clients have sent. */
  readonly sentBytes: () => number;
}

/** Stalls all open connections after this number of bytes; later connections pass. */
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
