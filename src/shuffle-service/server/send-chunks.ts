import { tooShort } from "../files/block-source.ts";
import type { FailedChunk, OpenChunk } from "./chunk-task.ts";
import { type Connection, write } from "./connection.ts";
import { countSent } from "./count-sent.ts";
import {
  failStream,
  failureText,
  minPartBytes,
  prepareChunks,
  releaseAll,
  TemporaryFailure,
} from "./prepare-chunks.ts";
import { printFailure, printHeader } from "./print-chunk.ts";
import { readParts } from "./read-parts.ts";
import type { ServiceScope } from "./scope.ts";
import { isDirect, sendDirectly } from "./send-directly.ts";

/** A part of a buffer: a failure, or a header with content, or more content of a chunk whose header has been sent. */
export interface Part {
  readonly start: number;
  readonly end: number;
  /** `undefined` for a failure. */
  readonly chunk: OpenChunk | undefined;
  /** Place in the buffer for content. */
  readonly content: Buffer;
  /** Position of the content in the chunk. */
  readonly position: number;
  /** Whether the header of the chunk is sent already. */
  readonly isContinued: boolean;
}

/**
 * Sends what fits into one buffer of the chunks at the start of a connection's queue. Removes the chunks whose header is sent.
 *
 * The frames are built in place: file content is read between their headers, and one write sends all of them.
 *
 * @throws TemporaryFailure, and an error if the connection closes or a file changes while it is being sent
 */
export async function sendChunks(scope: ServiceScope, connection: Connection): Promise<void> {
  if (await sendDirectly(scope, connection)) return;
  const buffer = await scope.buffers.acquire();
  try {
    const continued = continueChunk(connection, buffer);
    const isComplete = continued === undefined || partialOf(continued) === undefined;
    const start = continued?.end ?? 0;
    const chunks = isComplete ? await prepareNext(scope, connection, buffer.length - start) : [];
    try {
      const placed = layOutChunks(scope, connection, chunks, { buffer, start });
      await sendParts(scope, connection, continued === undefined ? placed : [continued, ...placed], buffer);
    } finally {
      // The file of a chunk that continues stays open.
      releaseAll(chunks.filter((chunk) => chunk !== connection.partial?.chunk));
    }
  } finally {
    scope.buffers.release(buffer);
  }
}

/** Bytes that are read and written when a socket is full: the write ends when it takes more. */
const waitingBytes = 16 * 1024;

/** Places more of the chunk whose first part has been sent. */
function continueChunk(connection: Connection, buffer: Buffer): Part | undefined {
  if (connection.partial === undefined) return undefined;
  const { chunk, sentBytes: position } = connection.partial;
  const limit = isDirect(connection, chunk, position) ? waitingBytes : buffer.length;
  const end = Math.min(limit, chunk.open.sizeBytes - position);
  return { start: 0, end, chunk, content: buffer.subarray(0, end), position, isContinued: true };
}

async function prepareNext(scope: ServiceScope, connection: Connection, capacityBytes: number) {
  if (capacityBytes < minPartBytes) return [];
  const maxChunks = scope.limits.maxChunksInFlight - scope.counters.chunksInFlight;
  if (maxChunks > 0) return await prepareChunks(scope, connection, { maxChunks, capacityBytes });
  if (connection.partial !== undefined) return [];
  throw new TemporaryFailure("too many chunks are being transferred");
}

/** Writes headers and failures into a buffer, until it is full. The content of the last chunk can be incomplete, or missing. */
function layOutChunks(
  scope: ServiceScope,
  connection: Connection,
  chunks: readonly (OpenChunk | FailedChunk)[],
  { buffer, start: firstStart }: { readonly buffer: Buffer; readonly start: number },
): readonly Part[] {
  const parts: Part[] = [];
  let start = firstStart;
  for (const chunk of chunks) {
    const { task } = chunk;
    if (chunk.kind === "failed") failStream(scope, task, chunk.failure);
    else checkSize(scope, chunk, isDirect(connection, chunk, 0) ? 0 : buffer.length - start);
    const failure = task.failure ?? task.stream?.failure;
    const isFailed = chunk.kind === "failed" || failure !== undefined;
    const head = isFailed ? printFailure(task, failure ?? "") : printHeader(task, chunk.open.sizeBytes);
    const contentStart = start + head.length;
    if (contentStart > buffer.length) break;
    head.copy(buffer, start);
    const isHeaderOnly = isFailed || isDirect(connection, chunk, 0);
    const end = isHeaderOnly ? contentStart : Math.min(buffer.length, contentStart + chunk.open.sizeBytes);
    const content = buffer.subarray(contentStart, end);
    parts.push({ start, end, chunk: isFailed ? undefined : chunk, content, position: 0, isContinued: false });
    if (!isFailed && content.length < chunk.open.sizeBytes) break;
    start = end;
  }
  return parts;
}

/** Fails a chunk that does not fit into a buffer if its file has become shorter. The content of others is read before their header is sent. */
function checkSize(scope: ServiceScope, { task, open, range }: OpenChunk, capacityBytes: number): void {
  if (open.file === undefined || open.sizeBytes < capacityBytes) return;
  if (open.file.currentBytes() >= open.offset + open.sizeBytes) return;
  scope.source.open.forget(range.directory, range.name);
  failStream(scope, task, failureText(scope, tooShort(range.name)));
}

async function sendParts(
  scope: ServiceScope,
  connection: Connection,
  parts: readonly Part[],
  buffer: Buffer,
): Promise<void> {
  const failedAt = await readParts(scope, parts);
  // The failed chunk stays in the queue, and its failure is sent next.
  const sent = parts.slice(0, failedAt ?? parts.length);
  const last = sent.at(-1);
  if (last === undefined) return;
  const started = sent.filter(({ isContinued }) => !isContinued);
  connection.queue.splice(0, started.length);
  scope.counters.chunksInFlight += started.filter(({ chunk }) => chunk !== undefined).length;
  const finished = connection.partial?.chunk;
  connection.partial = partialOf(last);
  if (finished !== undefined && finished !== connection.partial?.chunk) releaseAll([finished]);
  try {
    await write(connection, buffer.subarray(0, last.end));
  } finally {
    for (const part of sent)
      if (part.chunk !== undefined && partialOf(part) === undefined) countSent(scope, part.chunk);
  }
}

/** Returns the chunk of a part whose content goes on after it. */
function partialOf({ chunk, position, content }: Part): Connection["partial"] {
  const sentBytes = position + content.length;
  return chunk === undefined || sentBytes === chunk.open.sizeBytes ? undefined : { chunk, sentBytes };
}

/** Gives up the chunk whose first part has been sent, because the connection is closed. */
export function dropPartial({ counters }: ServiceScope, connection: Connection): void {
  if (connection.partial === undefined) return;
  counters.chunksInFlight -= 1;
  releaseAll([connection.partial.chunk]);
  connection.partial = undefined;
}
