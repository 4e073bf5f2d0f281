import { openTunnel } from "./tunnel.ts";

/** Proxy that breaks connections and counts them. */
export interface FailingProxy {
  readonly port: number;
  /** Bytes that clients have sent. */
  readonly sentBytes: () => number;
}

/** Requests that carry no content are shorter than this. */
const headBytes = 4096;

/** Breaks one connection with content for each of `limits`, after that number of bytes; then none. */
export async function openFailingProxy(portBehind: number, limits: readonly number[]): Promise<FailingProxy> {
  const left = [...limits];
  let sentBytes = 0;
  const port = await openTunnel(portBehind, ({ client, inner, end }) => {
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
  return { port, sentBytes: () => sentBytes };
}
