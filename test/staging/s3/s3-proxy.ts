import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

/** Handles a request: responds to it, or calls `pass` to forward it. */
type Intercept = (incoming: IncomingMessage, response: ServerResponse, pass: () => void) => void;

/** Opens a proxy in front of an S3 server, until the end of the test. @returns its endpoint */
export async function openS3Proxy(endpoint: string, intercept: Intercept): Promise<string> {
  const server = createServer((incoming, response) => intercept(incoming, response, () => pass(incoming, response)));
  const pass = (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = "", url = "", headers } = incoming;
    const onward = request(new URL(url, endpoint), { method, headers, agent: false }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 0, upstream.headers);
      upstream.pipe(response);
    });
    // Swift ends a body also in responses that have none. Ignore the error after a complete response.
    onward.on("error", () => {
      if (!response.headersSent) response.destroy();
    });
    // Piping a request without a body would send it as chunked.
    if (headers["content-length"] === undefined) onward.end();
    else incoming.pipe(onward);
  };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}
