import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { onTestFinished } from "vitest";

/** A request with its body. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts a server until the test ends, which responds with a status and an empty object, or not at all. @returns its URL, without a path */
export async function startReceiver(statusOf: (request: Received) => number | "none"): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const status = statusOf({ headers: request.headers, body });
    if (status !== "none") response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return `http://127.0.0.1:${port}`;
}
