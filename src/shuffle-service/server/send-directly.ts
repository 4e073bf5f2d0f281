import { tooShort } from "../files/block-source.ts";
import type { ChunkTask, OpenChunk } from "./chunk-task.ts";
import { type Connection, write } from "./connection.ts";
import { countSent } from "./count-sent.ts";
import { failureText } from "./prepare-chunks.ts";
import { printHeader } from "./print-chunk.ts";
import type { ServiceScope } from "./scope.ts";

/** Content of at least this size goes from file to socket in the kernel: for less, one read of several blocks costs less. */
const minDirectBytes = 16 * 1024;
/** Most bytes that are sent without letting other connections continue. */
const maxDirectBytes = 4 * 1024 * 1024;
/** Delay after which a socket that was full is tried again. */
const fullSocketMs = 1;
/** Bytes that a client takes in this delay, unless it is slow. */
const delayedBytes = 64 * 1024;

/** Whether the rest of a chunk can go from its file to the socket without being read. */
export function isDirect({ socket, outgoing }: Connection, { open }: OpenChunk, sentBytes: number): boolean {
  const isPlain = outgoing === undefined && !("encrypted" in socket);
  return isPlain && open.sizeBytes - sentBytes >= minDirectBytes && open.file?.canSend() === true;
}

/**
 * Sends large chunks at the start of a connection's queue without reading them, as long as their files are open and the socket takes
 * more. Returns false if the next chunk must be read, or if a write must wait for the client.
 *
 * A write ends when the socket has space for its bytes, so the next call would find little more space: a delay makes the calls larger.
 *
 * @throws an error if a file has become shorter: only a closed connection shows it to the client
 */
export async function sendDirectly(scope: ServiceScope, connection: Connection): Promise<boolean> {
  const run = { sentBytes: 0, isFull: false };
  while (!run.isFull && run.sentBytes < maxDirectBytes) {
    if (connection.partial === undefined && !(await startNext(scope, connection, run))) break;
    if (
      connection.partial === undefined ||
      !isDirect(connection, connection.partial.chunk, connection.partial.sentBytes)
    )
      break;
    await sendMore(scope, connection, connection.partial, run);
  }
  connection.directBytes += run.sentBytes;
  // Node does not see that the connection is in use.
  if (run.sentBytes > 0) connection.socket.setTimeout(scope.limits.connectionTimeoutMs);
  if (!run.isFull) {
    connection.hasDelayed = false;
    return run.sentBytes > 0;
  }
  const isSlow = connection.hasDelayed && run.sentBytes < delayedBytes;
  connection.hasDelayed = !isSlow;
  if (!isSlow) await scope.host.clock.sleep(fullSocketMs);
  return !isSlow;
}

/** Bytes that one call has sent, and whether the socket takes no more. */
interface DirectRun {
  sentBytes: number;
  isFull: boolean;
}

/** Sends the header of the next chunk, if its content can follow directly. Returns whether it did. */
async function startNext(scope: ServiceScope, connection: Connection, run: DirectRun): Promise<boolean> {
  const task = connection.queue[0];
  const chunk = task?.kind === "chunk" ? openNext(scope, connection, task) : undefined;
  if (chunk?.open.file === undefined) return false;
  const header = printHeader(chunk.task, chunk.open.sizeBytes);
  const sent = chunk.open.file.sendBefore(header, connection.socket);
  if (sent === 0) {
    chunk.open.file.release();
    run.isFull = true;
    return false;
  }
  connection.queue.shift();
  scope.counters.chunksInFlight += 1;
  connection.partial = { chunk, sentBytes: 0 };
  run.sentBytes += sent;
  if (sent < header.length) await write(connection, header.subarray(sent));
  return true;
}

/** Opens a chunk that is located, if its content can be sent directly. */
function openNext(scope: ServiceScope, connection: Connection, task: ChunkTask): OpenChunk | undefined {
  const { located } = task;
  const isFailed = (task.failure ?? task.stream?.failure) !== undefined;
  const isBelowLimit = scope.counters.chunksInFlight < scope.limits.maxChunksInFlight;
  if (isFailed || !isBelowLimit || located?.kind !== "located") return undefined;
  const { directory, name, offset, sizeBytes = 0 } = located.range;
  if (sizeBytes < minDirectBytes) return undefined;
  const file = scope.source.open.share(directory, name, located.checkedSinceMs);
  if (file === undefined) return undefined;
  const chunk: OpenChunk = { ...located, kind: "open", open: { file, offset, sizeBytes } };
  if (isDirect(connection, chunk, 0) && file.currentBytes() >= offset + sizeBytes) return chunk;
  file.release();
  return undefined;
}

/** Sends more of the chunk whose header has been sent. */
async function sendMore(
  scope: ServiceScope,
  connection: Connection,
  { chunk, sentBytes }: NonNullable<Connection["partial"]>,
  run: DirectRun,
): Promise<void> {
  const { open, range } = chunk;
  const sizeBytes = Math.min(maxDirectBytes, open.sizeBytes - sentBytes);
  const result = await open.file?.sendTo(connection.socket, open.offset + sentBytes, sizeBytes);
  if (result === "end") {
    scope.source.open.forget(range.directory, range.name);
    throw new Error(failureText(scope, tooShort(range.name)));
  }
  const sent = typeof result === "number" ? result : 0;
  run.sentBytes += sent;
  run.isFull = sent < sizeBytes;
  const sum = sentBytes + sent;
  connection.partial = sum < open.sizeBytes ? { chunk, sentBytes: sum } : undefined;
  if (connection.partial !== undefined) return;
  open.file?.release();
  countSent(scope, chunk);
}
