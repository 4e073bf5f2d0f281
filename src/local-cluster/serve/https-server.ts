import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { Duplex } from "node:stream";
import type { Clock } from "../../host/host.ts";
import { type ConnectionLimits, defaultConnectionLimits, serverOptions } from "../../http/connection-limits.ts";
import { limitConnections } from "../../http/limit-connections.ts";
import { BodyError, lengthOf, readBody } from "../../http/message-body.ts";
import { rejectMalformed, respondAndClose } from "../../http/reject-malformed.ts";
import { discardBody, type HttpExchange, hasBody, writePiece } from "../../http/serve.ts";
import type { Api, ServedResponse } from "../api/server.ts";
import { badRequest, methodNotAllowed, timedOut, tooLarge } from "../api/status.ts";
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

/** A body of the maximum size may take three minutes. */
const bodyRate = { idleMs: 30_000, minBytesPerSecond: 20 * 1024 };

const overloaded =
  "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

const healthPaths = /^\/(healthz|livez|readyz)(\/|$)/;

/** Creates a server that passes all requests to the API. `listen` opens it, `setCertificate` enables TLS. */
export function createHttpsServer(api: Api, { clock, onOverload, ...options }: HttpsServerOptions): Server {
  const limits = { ...apiLimits, ...options.limits };
  // The API decides about clients without a trusted certificate: most have a token.
  const clients = { requestCert: true, rejectUnauthorized: false };
  const server = createServer({ ALPNProtocols: ["http/1.1"], ...clients, ...serverOptions(limits) });
  const isHealthCheck = (path: string) => healthPaths.test(path);
  const connections = limitConnections(server, { ...limits, clock, isHealthCheck, onOverload });
  const take = (request: IncomingMessage, response: ServerResponse) => {
    if (connections.admit(request, response)) serve(api, { request, response }, clock).catch(() => response.destroy());
  };
  server.on("request", take);
  // Clients that ask get permission to send a body when it is read.
  server.on("checkContinue", take);
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

/** Sets the certificate, which names the address that the server listens on, and the authority of clients' certificates. */
export function setCertificate(server: Server, certificate: Certificate, authority: Certificate): void {
  const { privateKeyPem: key, certificatePem: cert } = certificate;
  server.setSecureContext({ key, cert, ca: authority.certificatePem });
}

async function serve(api: Api, exchange: HttpExchange, clock: HttpsServerOptions["clock"]): Promise<void> {
  const { request, response } = exchange;
  const opening = openRequest(request);
  if (opening === undefined) {
    response.writeHead(405).end();
    return;
  }
  const abort = new AbortController();
  // Not the request's close event, which occurs after its body is read and would end every watch.
  response.on("close", () => abort.abort());
  const result = await api({ ...opening, readBody: () => receiveBody(exchange, clock), signal: abort.signal });
  await send(result, exchange, clock);
}

/** Reads the body of a request that the API has admitted. @throws StatusError */
async function receiveBody(exchange: HttpExchange, clock: HttpsServerOptions["clock"]): Promise<Uint8Array> {
  if (!hasBody(exchange.request)) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  try {
    await readBody(exchange, { ...bodyRate, maxBytes: bodyLimitBytes, clock }, (piece) => {
      pieces.push(piece);
      return undefined;
    });
    return Buffer.concat(pieces);
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    if (error.kind === "tooLarge") throw tooLarge(`limit is ${bodyLimitBytes}`);
    throw error.kind === "idle" ? timedOut() : badRequest("unexpected EOF");
  }
}

async function send(
  { status, headers, body, onDrop }: ServedResponse,
  { request, response }: HttpExchange,
  clock: HttpsServerOptions["clock"],
): Promise<void> {
  const isHead = request.method === "HEAD";
  const isUnread = !request.complete && isLong(request);
  if (isUnread) response.setHeader("connection", "close");
  onDrop?.(() => response.destroy());
  response.writeHead(status, headers);
  // Send the headers of a watch without events, and before reading an unread body. Other responses are sent at once.
  if (isUnread || headers["content-length"] === undefined) response.flushHeaders();
  for await (const chunk of body) {
    if (isHead || !(await writePiece(response, chunk))) break;
  }
  if (isUnread && headers["content-length"] !== undefined) await discardBody(request, clock);
  response.end();
}

/** Returns whether the rest of an unread body is too long to keep its connection. The size is that of Go's `net/http`. */
function isLong(request: IncomingMessage): boolean {
  return lengthOf(request) > 256 * 1024 || request.headers["transfer-encoding"] !== undefined;
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
