import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { Duplex } from "node:stream";
import type { Clock } from "../../host/host.ts";
import { type ConnectionLimits, defaultConnectionLimits, serverOptions } from "../../http/connection-limits.ts";
import { limitConnections } from "../../http/limit-connections.ts";
import { rejectMalformed, respondAndClose } from "../../http/reject-malformed.ts";
import { writePiece } from "../../http/serve.ts";
import type { ApiResponse } from "../../kube/transport.ts";
import type { Api } from "../api/server.ts";
import { methodNotAllowed } from "../api/status.ts";
import { bodyLimitBytes } from "../api/wire/body.ts";
import type { Certificate } from "../certificates/certificate.ts";
import { openRequest } from "./open-request.ts";
import { serveUpgrade } from "./web-socket.ts";

interface HttpsServerOptions {
  readonly clock: Pick<Clock, "after" | "monotonic">;
  readonly limits?: Partial<ConnectionLimits>;
  /** Reports that connections were closed or rejected for lack of free ones; at most once a minute, with their number. */
  readonly onOverload: (count: number) => void;
}

/** Many pods hold several watches each, and label selectors of large applications are long. */
const apiLimits: ConnectionLimits = { ...defaultConnectionLimits, maxConnections: 4096, maxHeaderBytes: 64 * 1024 };

const overloaded =
  "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

const healthPaths = /^\/(healthz|livez|readyz)(\/|$)/;

/** Creates a server that passes all requests to the API. `listen` opens it, `setCertificate` enables TLS. */
export function createHttpsServer(api: Api, { clock, onOverload, ...options }: HttpsServerOptions): Server {
  const limits = { ...apiLimits, ...options.limits };
  const server = createServer({ ALPNProtocols: ["http/1.1"], ...serverOptions(limits) });
  const isHealthCheck = (path: string) => healthPaths.test(path);
  const connections = limitConnections(server, { ...limits, clock, isHealthCheck, onOverload });
  server.on("request", (request, response) => {
    if (connections.admit(request, response)) serve(api, request, response).catch(() => response.destroy());
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const opening = openRequest(request);
    if (opening === undefined) socket.destroy();
    else if (!connections.admitUpgrade(request)) respondAndClose(socket, overloaded);
    else serveUpgrade(api, { request, socket, head, opening }).catch(() => socket.destroy());
  });
  server.on("clientError", (error, socket) => {
    if (connections.isResponding(socket)) socket.destroy();
    else rejectClientError(error, socket);
  });
  return server;
}

/** Sets the certificate, which names the address that the server listens on. */
export function setCertificate(server: Server, certificate: Certificate): void {
  server.setSecureContext({ key: certificate.privateKeyPem, cert: certificate.certificatePem });
}

async function serve(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const opening = openRequest(request);
  if (opening === undefined) {
    response.writeHead(405).end();
    return;
  }
  const abort = new AbortController();
  // Not the request's close event, which occurs after its body is read and would end every watch.
  response.on("close", () => abort.abort());
  const body = await readBody(request);
  if (body.length > bodyLimitBytes) response.setHeader("connection", "close");
  const result = await api({ ...opening, body, signal: abort.signal });
  await send(result, response, opening.method === "HEAD");
}

/** Reads the body up to the size limit. */
async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > bodyLimitBytes) break;
  }
  return Buffer.concat(chunks);
}

async function send({ status, headers, body }: ApiResponse, response: ServerResponse, isHead: boolean): Promise<void> {
  response.writeHead(status, headers);
  // Send the headers of a watch without events; a response of known length is sent at once.
  if (headers["content-length"] === undefined) response.flushHeaders();
  for await (const chunk of body) {
    if (isHead || !(await writePiece(response, chunk))) break;
  }
  response.end();
}

/** Responds to an unknown method with the API's error. */
function rejectClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code !== "HPE_INVALID_METHOD" || !socket.writable) {
    rejectMalformed(error, socket);
    return;
  }
  const body = `${JSON.stringify(methodNotAllowed().status)}\n`;
  const head = [
    "HTTP/1.1 405 Method Not Allowed",
    "Connection: close",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  respondAndClose(socket, `${head.join("\r\n")}\r\n\r\n${body}`);
}
