import type { Socket } from "node:net";
import { messageOf } from "../../errors/message-of.ts";
import { authenticator } from "../authentication/authenticator.ts";
import { MalformedMessage } from "../protocol/malformed-message.ts";
import { decodeTransferRequest, type TransferRequest } from "../protocol/transfer-messages.ts";
import { decodeRequest, rpcFailure, rpcResponse, type TransportRequest } from "../protocol/transport-messages.ts";
import { type ErrorKind, RequestFailure } from "../request-failure.ts";
import type { ChunkTarget } from "./chunk-task.ts";
import { acceptClient, type Connection, isFull, newConnection, type Outgoing, throttle, write } from "./connection.ts";
import { failureText, TemporaryFailure } from "./prepare-chunks.ts";
import { requireApplication, rpcFailureText, runRequest } from "./requests.ts";
import type { ServiceScope } from "./scope.ts";
import { dropPartial, sendChunks } from "./send-chunks.ts";
import { parseStreamChunk } from "./streams.ts";

/** Serves a new connection until it closes. Calls `onIdle` when everything that was requested has been sent. */
export function serveConnection(
  scope: ServiceScope,
  socket: Socket,
  onIdle: (connection: Connection) => void,
): Connection {
  const { authentication, limits, host, counters } = scope;
  const connection = newConnection(socket, authentication === undefined ? undefined : authenticator(authentication));
  const send = () => {
    if (!connection.isSending) void sendQueue(scope, connection, decode).then(() => onIdle(connection));
  };
  const decode = () => orClose(scope, connection, () => acceptAll(scope, connection, send));
  const cancelHandshake =
    authentication === undefined
      ? () => {}
      : host.clock.after(limits.handshakeTimeoutMs, () => {
          if (connection.authenticator === undefined) return;
          closeFor(scope, connection, "authentication", "A client did not authenticate in time.");
        });
  counters.connections += 1;
  socket.setNoDelay(true);
  socket.setTimeout(limits.connectionTimeoutMs, () => socket.destroy());
  socket.on("data", (piece: Buffer) => {
    receive(scope, connection, piece, send);
    send();
    throttle(connection, decode);
  });
  // Clients that end or are killed reset their connections.
  socket.on("error", () => {
    counters.errors.connection += 1;
  });
  socket.once("close", () => {
    cancelHandshake();
    counters.connections -= 1;
    scope.memory.free(connection.reservedBytes);
    for (const streamId of connection.streamIds) scope.streams.remove(streamId);
    connection.queue.length = 0;
    if (!connection.isSending) dropPartial(scope, connection);
  });
  return connection;
}

/** Returns whether a connection has nothing to do. */
export function isIdle({ queue, runningRpcs, isSending }: Connection): boolean {
  return queue.length === 0 && runningRpcs === 0 && !isSending;
}

/** Receives a piece of what the client sends. */
function receive(scope: ServiceScope, connection: Connection, piece: Buffer, send: () => void): void {
  orClose(scope, connection, () => {
    for (const plain of connection.incoming?.decrypt(piece) ?? [piece]) {
      connection.frames.push(plain);
      acceptAll(scope, connection, send);
    }
    if (!reserve(scope, connection)) closeFor(scope, connection, "overload", "The memory for requests is full.");
  });
}

/** Accepts the requests that have arrived completely, as long as the queue has space. */
function acceptAll(scope: ServiceScope, connection: Connection, send: () => void): void {
  while (!connection.isClosing && !connection.socket.destroyed) {
    const content = isFull(connection) ? undefined : connection.frames.next();
    if (content === undefined) return;
    const isEncrypted = connection.incoming !== undefined;
    accept(scope, connection, decodeRequest(content), send);
    connection.isFirstEncrypted = false;
    // What follows the last message of the handshake is encrypted.
    if (connection.incoming !== undefined && !isEncrypted) {
      connection.isFirstEncrypted = true;
      receive(scope, connection, connection.frames.takePending(), send);
      return;
    }
  }
}

/** Closes a connection if its client has sent invalid bytes, or a request fails. */
function orClose(scope: ServiceScope, connection: Connection, action: () => void): void {
  if (connection.isClosing || connection.socket.destroyed) return;
  try {
    action();
  } catch (error) {
    if (!(error instanceof MalformedMessage)) {
      closeFor(scope, connection, "internal", "A request failed.", { reason: messageOf(error) });
      return;
    }
    const hint = connection.isFirstEncrypted
      ? { hint: "The client probably has another spark.network.crypto.authEngineVersion or cipher." }
      : {};
    closeFor(scope, connection, "protocol", "A client sent invalid bytes.", { reason: error.message, ...hint });
  }
}

/** Incomplete requests up to this size are not counted. */
const uncountedBytes = 4096;

/** Counts the bytes of the incomplete request in the memory budget. */
function reserve({ memory }: ServiceScope, connection: Connection): boolean {
  const pending = connection.frames.pendingBytes();
  const needed = pending > uncountedBytes ? pending : 0;
  if (needed > connection.reservedBytes && !memory.reserve(needed - connection.reservedBytes)) return false;
  if (needed < connection.reservedBytes) memory.free(connection.reservedBytes - needed);
  connection.reservedBytes = needed;
  return true;
}

function accept(scope: ServiceScope, connection: Connection, request: TransportRequest, send: () => void): void {
  if (connection.authenticator !== undefined) {
    if (request.kind === "rpc") authenticate(scope, connection, request);
    else rejectUnauthenticated(scope, connection, request);
    return;
  }
  switch (request.kind) {
    case "chunkFetch": {
      const { streamId, chunkIndex } = request;
      requestChunk(scope, connection, { kind: "chunk", streamId }, () => ({ streamId, chunk: chunkIndex }));
      break;
    }
    case "stream":
      requestChunk(scope, connection, request, () => parseStreamChunk(request.streamId));
      break;
    case "rpc":
      startRpc(scope, connection, request, send);
      break;
    case "oneway":
      // Executors and drivers send none to the service.
      break;
    case "uploadStream":
      connection.queue.push(bytes(rpcFailure(request.requestId, unsupported("Cannot handle uploaded streams"))));
      // Its body follows, which is not a frame.
      connection.isClosing = true;
      break;
    case "mergedBlockMeta":
      connection.queue.push(bytes(rpcFailure(request.requestId, mergeFailure(connection, request.appId))));
      break;
  }
}

function mergeFailure(connection: Connection, appId: string): string {
  try {
    requireApplication(connection, appId);
    return unsupported("Cannot handle shuffle block merge");
  } catch (error) {
    return rpcFailureText(error);
  }
}

function unsupported(text: string): string {
  return new RequestFailure("unsupported", text).print();
}

function bytes(content: Buffer): Outgoing {
  return { kind: "bytes", bytes: content };
}

type Request<K extends TransportRequest["kind"]> = Extract<TransportRequest, { kind: K }>;

/** Rejects a request before the handshake as Spark 4.1 does, and closes the connection. */
function rejectUnauthenticated(
  { counters, limitedLog }: ServiceScope,
  connection: Connection,
  request: Exclude<TransportRequest, Request<"rpc">>,
): void {
  const failure = new RequestFailure("security", "Unauthenticated call to stream manager.").print();
  counters.errors.authentication += 1;
  limitedLog("WARN", "A client sent a request before it authenticated.", {
    peer: connection.peer,
    request: request.kind,
  });
  if (request.kind === "chunkFetch") {
    const target: ChunkTarget = { kind: "chunk", streamId: request.streamId };
    connection.queue.push({
      kind: "chunk",
      target,
      stream: undefined,
      chunk: request.chunkIndex,
      failure,
      located: undefined,
    });
  } else if (request.kind === "stream") {
    connection.queue.push({ kind: "chunk", target: request, stream: undefined, chunk: 0, failure, located: undefined });
  } else if (request.kind !== "oneway") {
    connection.queue.push(bytes(rpcFailure(request.requestId, failure)));
  }
  connection.isClosing = true;
}

function authenticate(scope: ServiceScope, connection: Connection, { requestId, body }: Request<"rpc">): void {
  const step = connection.authenticator?.step(body);
  if (step === undefined) return;
  if (step.kind === "failed") {
    scope.counters.errors.authentication += 1;
    const { peer } = connection;
    scope.limitedLog("WARN", "A client did not authenticate.", { peer, reason: step.reason });
    connection.queue.push(bytes(rpcFailure(requestId, step.error)));
    connection.isClosing = true;
    return;
  }
  const cipher = step.kind === "done" ? step.cipher : undefined;
  connection.queue.push({ kind: "bytes", bytes: rpcResponse(requestId, step.response), cipher });
  if (step.kind === "done") acceptClient(connection, step.appId, cipher);
}

/** Adds a chunk to the queue, or the failure of its request. */
function requestChunk(
  scope: ServiceScope,
  connection: Connection,
  target: ChunkTarget,
  parse: () => { readonly streamId: bigint; readonly chunk: number },
): void {
  let chunk = 0;
  try {
    const parsed = parse();
    chunk = parsed.chunk;
    const stream = scope.streams.next(connection, parsed.streamId, chunk);
    connection.queue.push({ kind: "chunk", target, stream, chunk, failure: undefined, located: undefined });
  } catch (error) {
    connection.queue.push({
      kind: "chunk",
      target,
      stream: undefined,
      chunk,
      failure: failureText(scope, error),
      located: undefined,
    });
  }
}

/** Starts an RPC. Its response is sent when it is ready, between chunks. */
function startRpc(scope: ServiceScope, connection: Connection, request: Request<"rpc">, send: () => void): void {
  const { requestId, body } = request;
  const startedMs = scope.host.clock.monotonic();
  connection.runningRpcs += 1;
  void runRpc(scope, connection, body, startedMs)
    .then((response) => rpcResponse(requestId, response))
    .catch((error: unknown) => rpcFailure(requestId, rpcError(scope, connection, error)))
    .then((frame) => connection.queue.push(bytes(frame)))
    .catch((error: unknown) => {
      if (!(error instanceof TemporaryFailure)) throw error;
      closeFor(scope, connection, "overload", "The service is overloaded.", { reason: error.message });
    })
    .finally(() => {
      connection.runningRpcs -= 1;
      send();
    });
}

async function runRpc(scope: ServiceScope, connection: Connection, body: Buffer, startedMs: number): Promise<Buffer> {
  const request = decodeTransferRequest(body);
  const response = await runRequest(scope, { connection, request, bodyBytes: body.length });
  const record = recorders[request.kind];
  if (record !== undefined) scope.durations[record]((scope.host.clock.monotonic() - startedMs) / 1000);
  return response;
}

/** Durations of the requests that Spark's service measures. */
const recorders: Partial<Record<TransferRequest["kind"], "openStream" | "registerExecutor">> = {
  openBlocks: "openStream",
  fetchShuffleBlocks: "openStream",
  registerExecutor: "registerExecutor",
};

/** Returns the text of a failed RPC for its client. @throws TemporaryFailure */
function rpcError({ counters, limitedLog }: ServiceScope, { peer }: Connection, error: unknown): string {
  if (error instanceof TemporaryFailure) throw error;
  if (error instanceof MalformedMessage) counters.errors.protocol += 1;
  else if (error instanceof RequestFailure) counters.errors[error.kind] += 1;
  else {
    counters.errors.internal += 1;
    limitedLog("ERROR", "A request failed.", { peer, reason: messageOf(error) });
    return "java.lang.RuntimeException: The shuffle service failed; see its log.";
  }
  return rpcFailureText(error);
}

/** Bytes after which other connections can continue: writes do not wait while the client reads as fast. */
const maxBurstBytes = 1024 * 1024;

/** Sends what is in the queue, in order. Never rejects. */
async function sendQueue(scope: ServiceScope, connection: Connection, decode: () => void): Promise<void> {
  const { queue, socket } = connection;
  connection.isSending = true;
  const sentBytes = () => socket.bytesWritten + connection.directBytes;
  let burstStart = sentBytes();
  try {
    for (
      let item = queue[0];
      (item !== undefined || connection.partial !== undefined) && !socket.destroyed;
      item = queue[0]
    ) {
      connection.writeStartedMs = scope.host.clock.monotonic();
      if (connection.partial !== undefined || item?.kind === "chunk") await sendChunks(scope, connection);
      else if (item !== undefined) await sendBytes(connection, item);
      throttle(connection, decode);
      if (sentBytes() - burstStart < maxBurstBytes) continue;
      await new Promise<void>((resolve) => setImmediate(resolve));
      burstStart = sentBytes();
    }
    if (connection.isClosing && connection.runningRpcs === 0) socket.end();
  } catch (error) {
    fail(scope, connection, error);
  } finally {
    if (socket.destroyed) dropPartial(scope, connection);
    connection.isSending = false;
    connection.writeStartedMs = undefined;
  }
}

async function sendBytes(connection: Connection, item: Extract<Outgoing, { kind: "bytes" }>): Promise<void> {
  connection.queue.shift();
  await write(connection, item.bytes);
  connection.outgoing = item.cipher ?? connection.outgoing;
}

/** Closes a connection whose response cannot be completed, so that its client tries again. */
function fail(scope: ServiceScope, connection: Connection, error: unknown): void {
  const reason = messageOf(error);
  if (error instanceof TemporaryFailure) {
    closeFor(scope, connection, "overload", "The service is overloaded.", { reason });
  } else if (!connection.socket.destroyed) {
    closeFor(scope, connection, "file", "A response cannot be completed.", { reason });
  }
}

/** Closes a connection at once. */
function closeFor(
  { counters, limitedLog }: ServiceScope,
  { socket, peer }: Connection,
  kind: ErrorKind,
  text: string,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  counters.errors[kind] += 1;
  limitedLog("WARN", text, { peer, ...fields });
  socket.destroy();
}
