import { tooShort } from "../files/block-source.ts";
import { chunkFetchFailure, chunkFetchHeader, streamFailure, streamResponse } from "../protocol/transport-messages.ts";
import { type ChunkTask, type Connection, write } from "./connection.ts";
import { failureText, type OpenChunk, prepareChunks, releaseAll, TemporaryFailure } from "./prepare-chunks.ts";
import type { ServiceScope } from "./scope.ts";

/**
 * Sends the chunks at the start of a connection's queue, as many as fit into a buffer, or one large one. Removes them from the queue.
 *
 * Frames are built in place: file content is read between their headers, and one write sends all of them.
 *
 * @throws TemporaryFailure, and Node's error if the connection closes or the file changes while it is being sent
 */
export async function sendChunks(scope: ServiceScope, connection: Connection): Promise<void> {
  const { limits, counters, buffers } = scope;
  const maxChunks = limits.maxChunksInFlight - counters.chunksInFlight;
  if (maxChunks <= 0) throw new TemporaryFailure("too many chunks are being transferred");
  const buffer = await buffers.acquire();
  try {
    const chunks = await prepareChunks(scope, connection, { maxChunks, bufferBytes: buffer.length });
    const [first] = chunks;
    try {
      const placed = placeChunks(scope, chunks, buffer);
      if (placed.length > 0) await sendPlaced(scope, connection, placed, buffer);
      else if (first?.kind === "open") await sendLarge(scope, connection, first, buffer);
    } finally {
      releaseAll(chunks);
    }
  } finally {
    buffers.release(buffer);
  }
}

/** A response in a buffer: a header with content, or a failure. */
interface Placed {
  readonly start: number;
  readonly end: number;
  /** `undefined` for a failure. */
  readonly chunk: OpenChunk | undefined;
  /** Part of the buffer for the content of the chunk. */
  readonly content: Buffer;
}

/** Writes headers and failures into a buffer, until it is full. */
function placeChunks(
  scope: ServiceScope,
  chunks: Awaited<ReturnType<typeof prepareChunks>>,
  buffer: Buffer,
): readonly Placed[] {
  const placed: Placed[] = [];
  let start = 0;
  for (const chunk of chunks) {
    const { task } = chunk;
    if (chunk.kind === "failed") failStream(scope, task, chunk.failure);
    const failure = task.failure ?? task.stream?.failure;
    const isFailed = chunk.kind === "failed" || failure !== undefined;
    const head = isFailed ? printFailure(task, failure ?? "") : printHeader(task, chunk.open.sizeBytes);
    const contentStart = start + head.length;
    const end = contentStart + (isFailed ? 0 : chunk.open.sizeBytes);
    if (end > buffer.length) break;
    head.copy(buffer, start);
    placed.push({ start, end, chunk: isFailed ? undefined : chunk, content: buffer.subarray(contentStart, end) });
    start = end;
  }
  return placed;
}

/** Fails the chunk and all later ones of its stream. */
function failStream({ streams }: ServiceScope, task: ChunkTask, failure: string): void {
  task.failure = failure;
  if (task.stream === undefined) return;
  task.stream.failure ??= failure;
  streams.remove(task.stream.id);
}

async function sendPlaced(
  scope: ServiceScope,
  connection: Connection,
  placed: readonly Placed[],
  buffer: Buffer,
): Promise<void> {
  const failedAt = await readContents(scope, placed);
  // The failed chunk stays in the queue, and its failure is sent next.
  const sent = placed.slice(0, failedAt ?? placed.length);
  const chunks = sent.flatMap(({ chunk }) => chunk ?? []);
  connection.queue.splice(0, sent.length);
  const last = sent.at(-1);
  if (last !== undefined) await sendCounted(scope, chunks, () => write(connection, buffer.subarray(0, last.end)));
}

/** Reads the contents of chunks. Returns the position of the first one that cannot be read. */
async function readContents(scope: ServiceScope, placed: readonly Placed[]): Promise<number | undefined> {
  const failures = await Promise.all(groupReads(placed).map((group) => readGroup(scope, group)));
  const found = failures.flatMap((failure) => failure ?? []).sort((a, b) => a.position - b.position)[0];
  if (found === undefined) return undefined;
  failStream(scope, found.chunk.task, found.failure);
  scope.source.open.forget(found.chunk.range.directory, found.chunk.range.name);
  return found.position;
}

/** Chunks that are consecutive in one file. */
interface ReadGroup {
  readonly members: { readonly position: number; readonly chunk: OpenChunk; readonly content: Buffer }[];
  endOffset: number;
}

function groupReads(placed: readonly Placed[]): readonly ReadGroup[] {
  const groups: ReadGroup[] = [];
  for (const [position, { chunk, content }] of placed.entries()) {
    if (chunk?.open.file === undefined) continue;
    const { offset, sizeBytes, file } = chunk.open;
    const last = groups.at(-1);
    const member = { position, chunk, content };
    const isNext = last?.endOffset === offset && last.members[0]?.chunk.open.file?.identity === file.identity;
    if (last !== undefined && isNext) last.members.push(member);
    else groups.push({ members: [member], endOffset: 0 });
    const group = groups.at(-1);
    if (group !== undefined) group.endOffset = offset + sizeBytes;
  }
  return groups;
}

/** Reads a group. Returns the first chunk that the file does not contain completely. */
async function readGroup(scope: ServiceScope, { members }: ReadGroup) {
  const [first] = members;
  if (first?.chunk.open.file === undefined) return undefined;
  const { file, offset } = first.chunk.open;
  try {
    let rest = await file.read(
      members.map(({ content }) => content),
      offset,
    );
    for (const { position, chunk, content } of members) {
      rest -= content.length;
      if (rest < 0) return { position, chunk, failure: failureText(scope, tooShort(chunk.range.name)) };
    }
    return undefined;
  } catch (error) {
    return { position: first.position, chunk: first.chunk, failure: failureText(scope, error) };
  }
}

/** Sends a chunk that is larger than a buffer. */
async function sendLarge(scope: ServiceScope, connection: Connection, chunk: OpenChunk, buffer: Buffer): Promise<void> {
  const { task, range } = chunk;
  const { file, offset, sizeBytes } = chunk.open;
  if (file === undefined) return;
  if (file.currentBytes() < offset + sizeBytes) {
    scope.source.open.forget(range.directory, range.name);
    return failStream(scope, task, failureText(scope, tooShort(range.name)));
  }
  connection.queue.shift();
  await sendCounted(scope, [chunk], async () => {
    let start = printHeader(task, sizeBytes).copy(buffer);
    for (let sent = 0; sent < sizeBytes; ) {
      const end = Math.min(buffer.length, start + sizeBytes - sent);
      const content = buffer.subarray(start, end);
      const read = await file.read([content], offset + sent);
      // Part of the chunk has been sent, so only closing the connection tells the client.
      if (read < content.length) throw tooShort(range.name);
      await write(connection, buffer.subarray(0, end));
      sent += read;
      start = 0;
    }
  });
}

async function sendCounted(
  { counters }: ServiceScope,
  chunks: readonly OpenChunk[],
  send: () => Promise<void>,
): Promise<void> {
  counters.chunksInFlight += chunks.length;
  try {
    await send();
  } finally {
    counters.chunksInFlight -= chunks.length;
  }
  counters.chunks += chunks.length;
  for (const { block, open } of chunks) {
    counters.blocks += block.kind === "rdd" ? 1 : block.endReduceId - block.startReduceId;
    counters.bytes += open.sizeBytes;
  }
}

function printHeader({ target, chunk }: ChunkTask, sizeBytes: number): Buffer {
  if (target.kind === "chunk") return chunkFetchHeader(target.streamId, chunk, sizeBytes);
  return streamResponse(target.streamId, sizeBytes);
}

/** Longer texts do not help, and each must fit into a buffer. */
const maxFailureLength = 4000;

function printFailure({ target, chunk }: ChunkTask, failure: string): Buffer {
  const text = failure.slice(0, maxFailureLength);
  if (target.kind === "chunk") return chunkFetchFailure(target.streamId, chunk, text);
  return streamFailure(target.streamId, text);
}
