import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A way to a server that breaks, and counts. */
export interface BreakingTunnel {
  readonly port: number;
  /** What clients have sent. */
  readonly sentBytes: () => number;
}

/** Requests that carry no content are shorter than this. */
const headBytes = 4096;

/** Breaks a connection with content after so many bytes, once for each of `limits`; then no more. */
export async function breakingTunnel(port: number, limits: readonly number[]): Promise<BreakingTunnel> {
  const left = [...limits];
  const ends: Socket[] = [];
  let sentBytes = 0;
  const server = createServer((client) => {
    const inner = connect(port, "127.0.0.1");
    ends.push(client, inner);
    const end = () => {
      client.destroy();
      inner.destroy();
    };
    for (const socket of [client, inner]) socket.on("error", end).on("close", end);
    inner.pipe(client);
    let passed = 0;
    let isBroken = false;
    client.on("data", (chunk) => {
      // A connection that breaks never lets later bytes pass without those before.
      if (isBroken) return;
      sentBytes += chunk.length;
      passed += chunk.length;
      const limit = left[0];
      if (passed < headBytes || limit === undefined || passed < limit) return void inner.write(chunk);
      left.shift();
      isBroken = true;
      inner.write(chunk.subarray(0, Math.max(0, chunk.length - (passed - limit))), end);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of ends) socket.destroy();
    server.close();
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    sentBytes: () => sentBytes,
  };
}
