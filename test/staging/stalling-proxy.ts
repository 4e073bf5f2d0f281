import { createServer, request } from "node:http";
import { onTestFinished } from "vitest";

/** Proxy that forwards one request but never returns its response. */
export interface StallingProxy {
  readonly url: string;
  readonly visits: readonly string[];
  /** Resolves when a request is held. */
  readonly held: Promise<void>;
}

/** Opens the proxy for a test. `stalledRequest`: number of the stalled request, from 1; 0: none. */
export async function openStallingProxy(portBehind: number, stalledRequest: number): Promise<StallingProxy> {
  const visits: string[] = [];
  let resolveHeld = () => {};
  const held = new Promise<void>((resolve) => {
    resolveHeld = resolve;
  });
  const server = createServer((incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    const isHeld = visits.push(`${method} ${url}`) === stalledRequest;
    const options = { host: "127.0.0.1", port: portBehind, method, path: url, headers, agent: false };
    const passed = request(options, (response) => {
      if (isHeld) return void response.resume().once("close", resolveHeld);
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      return void response.pipe(outgoing);
    });
    // Swift sends bodies for responses that must not have one. Node reports an error after the response.
    passed.on("error", () => outgoing.headersSent || isHeld || outgoing.destroy());
    incoming.pipe(passed);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, visits, held };
}
