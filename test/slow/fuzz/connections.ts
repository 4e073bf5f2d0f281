import type { HttpConnections } from "../../../src/net/http-connections.ts";

const statuses = [200, 200, 200, 201, 307, 400, 404, 500];

/** Creates connections to a server that responds to each request with the same input. Its first byte chooses the status. */
export function connectionsTo(input: Buffer): HttpConnections {
  const status = statuses[(input[0] ?? 0) % statuses.length] ?? 200;
  const body = input.subarray(1);
  return {
    send: async () => ({
      status,
      headers: { location: `http://node:1${body.toString("latin1", 0, 100)}`, etag: '"e"' },
      body: streamOf(body),
      close: () => undefined,
    }),
    close: () => undefined,
  };
}

/** Streams bytes as one chunk. */
export async function* streamOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
