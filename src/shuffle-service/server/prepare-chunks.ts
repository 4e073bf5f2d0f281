import { messageOf } from "../../errors/message-of.ts";
import type { BlockRef } from "../files/block-list.ts";
import { type BlockRange, locate, type OpenBlock, openBlock } from "../files/block-source.ts";
import { RequestFailure } from "../request-failure.ts";
import type { ChunkTask, Connection } from "./connection.ts";
import type { ServiceScope } from "./scope.ts";

/** Most chunks and most files that one batch prepares. */
const maxBatch = { chunks: 64, files: 16 };
/** Upper bound of the header of a chunk. */
const maxHeaderBytes = 64;

/** Condition of the machine that passes: the client should try again, so its connection is closed. */
export class TemporaryFailure extends Error {}

/** A chunk that cannot be sent. */
interface FailedChunk {
  readonly kind: "failed";
  readonly task: ChunkTask;
  readonly failure: string;
}

interface LocatedChunk {
  readonly kind: "located";
  readonly task: ChunkTask;
  readonly block: BlockRef;
  readonly range: BlockRange;
  readonly checkedSinceMs: number;
}

/** A chunk whose file is open. Its file must be released. */
export interface OpenChunk extends Omit<LocatedChunk, "kind"> {
  readonly kind: "open";
  readonly open: OpenBlock;
}

/**
 * Prepares the chunks at the start of a connection's queue that fit into a buffer, or one that is larger.
 *
 * @throws TemporaryFailure
 */
export async function prepareChunks(
  scope: ServiceScope,
  { queue }: Connection,
  { maxChunks, bufferBytes }: { readonly maxChunks: number; readonly bufferBytes: number },
): Promise<readonly (OpenChunk | FailedChunk)[]> {
  const tasks: ChunkTask[] = [];
  for (const item of queue) {
    if (item.kind !== "chunk" || tasks.length >= Math.min(maxBatch.chunks, maxChunks)) break;
    tasks.push(item);
  }
  const located = await Promise.all(tasks.map((task) => locateChunk(scope, task)));
  const results = await Promise.allSettled(chooseBatch(located, bufferBytes).map((chunk) => openChunk(scope, chunk)));
  const rejected = results.find((result) => result.status === "rejected");
  const opened = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (rejected === undefined) return opened;
  releaseAll(opened);
  throw rejected.reason;
}

/** Releases the files of chunks. */
export function releaseAll(chunks: readonly (OpenChunk | FailedChunk)[]): void {
  for (const chunk of chunks) if (chunk.kind === "open") chunk.open.file?.release();
}

async function locateChunk(scope: ServiceScope, task: ChunkTask): Promise<LocatedChunk | FailedChunk> {
  const { stream } = task;
  const known = task.failure ?? stream?.failure;
  if (stream === undefined || known !== undefined) return { kind: "failed", task, failure: known ?? "" };
  try {
    const block = stream.blocks.at(task.chunk);
    const executor = scope.registrations.find(stream.appId, stream.execId);
    const range = await locate(scope.source, executor, { block, checkedSinceMs: stream.openedMs });
    return { kind: "located", task, block, range, checkedSinceMs: stream.openedMs };
  } catch (error) {
    return { kind: "failed", task, failure: failureText(scope, error) };
  }
}

async function openChunk(scope: ServiceScope, chunk: LocatedChunk | FailedChunk): Promise<OpenChunk | FailedChunk> {
  if (chunk.kind === "failed") return chunk;
  try {
    return { ...chunk, kind: "open", open: await openBlock(scope.source, chunk.range, chunk.checkedSinceMs) };
  } catch (error) {
    return { kind: "failed", task: chunk.task, failure: failureText(scope, error) };
  }
}

/** Returns the first chunks that fit into a buffer together. The last one can be larger than the rest of the buffer. */
function chooseBatch<C extends LocatedChunk | FailedChunk>(chunks: readonly C[], bufferBytes: number): readonly C[] {
  const files = new Set<string>();
  let used = 0;
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.kind === "failed") continue;
    // The size of a cached block is known when its file is open.
    used += maxHeaderBytes + (chunk.range.sizeBytes ?? bufferBytes);
    if (used > bufferBytes) return chunks.slice(0, Math.max(1, index));
    files.add(`${chunk.range.directory}/${chunk.range.name}`);
    if (files.size > maxBatch.files) return chunks.slice(0, index);
  }
  return chunks;
}

const temporaryCodes: readonly unknown[] = ["EMFILE", "ENFILE", "ENOMEM"];

/** Returns the text for the client. @throws TemporaryFailure if the client should try again */
export function failureText(scope: Pick<ServiceScope, "counters" | "limitedLog">, error: unknown): string {
  if (error instanceof RequestFailure) {
    scope.counters.errors[error.kind] += 1;
    return error.print();
  }
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (temporaryCodes.includes(code)) throw new TemporaryFailure(messageOf(error), { cause: error });
  scope.counters.errors.file += 1;
  scope.limitedLog("WARN", "A block cannot be read.", { reason: messageOf(error) });
  return `java.io.IOException: ${messageOf(error)}`;
}
