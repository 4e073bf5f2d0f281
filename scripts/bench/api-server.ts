import { createServer } from "node:https";

/** The server's TLS certificate and key, PEM. */
export interface ServerKeys {
  readonly cert: string;
  readonly key: string;
}

/**
 * Starts a minimal Kubernetes API, so that a benchmark measures the client: it accepts every object and returns it with a uid.
 *
 * @returns the port, on loopback
 */
export function startApiServer(keys: ServerKeys): Promise<number> {
  let count = 0;
  const server = createServer(keys, (request, response) => {
    // A watch without events.
    if (request.url?.includes("watch=true")) return response.writeHead(200).flushHeaders();
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    return request.on("end", () => {
      count += 1;
      const object = chunks.length === 0 ? { metadata: {} } : JSON.parse(Buffer.concat(chunks).toString("utf8"));
      object.metadata.uid ??= `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
      object.metadata.namespace ??= /\/namespaces\/([^/]+)\//.exec(request.url ?? "")?.[1];
      object.metadata.resourceVersion = String(count);
      response.writeHead(request.method === "GET" ? 200 : 201, { "content-type": "application/json" });
      response.end(JSON.stringify(object));
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address !== null && typeof address === "object") resolve(address.port);
    });
  });
}
