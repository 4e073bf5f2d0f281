import { createServer, request } from "node:http";
import { onTestFinished } from "vitest";

/** Proxy that forwards one request but never returns its response. */
export interface StallingProxy {
  readonly url: string;
  readonly visits: readonly string[];
  /** Resolves when a request is held. */
  readonly held: Promise<void>;
}

/** Opens the proxy for a test; the `stalledRequest`th request is stalled, counted from 1; 0: none. */
export async function openStallingProxy(portBehind: number, stalledRequest: number): Promise<StallingProxy> {
  const visits: string[] = [];
  let tellHeld = () => {};
  const held = new Promise<void>((resolve) => {
    tellHeld = resolve;
  });
  const server = createServer((incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    const isHeld = visits.push(`${method} ${url}`) === stalledRequest;
    const options = { host: "127.0.0.1", port: portBehind, method, path: url, headers, agent: false };
    const passed = request(options, (answer) => {
      if (isHeld) return void answer.resume().once("close", tellHeld);
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      return void answer.pipe(outgoing);
    });
    // Swift sends bodies where there are none, which is told as an error after the answer.
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
