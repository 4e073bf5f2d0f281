import { messageOf } from "../../errors/message-of.ts";
import { locate, openBlock } from "../files/block-source.ts";
import { RequestFailure } from "../request-failure.ts";
import type { ChunkTask, FailedChunk, LocatedChunk, OpenChunk } from "./chunk-task.ts";
import type { Connection } from "./connection.ts";
import type { ServiceScope } from "./scope.ts";

/** Most chunks and most files that one batch prepares. */
const maxBatch = { chunks: 64, files: 16 };
/** Upper bound of the header of a chunk. */
const maxHeaderBytes = 64;

/** Condition of the machine that passes: the client should try again, so its connection is closed. */
export class TemporaryFailure extends Error {}

/**
 * Prepares the chunks at the start of a connection's queue that fit into a part of a buffer, and the next one.
 *
 * @throws TemporaryFailure
 */
export async function prepareChunks(
  scope: ServiceScope,
  { queue }: Connection,
  { maxChunks, capacityBytes }: { readonly maxChunks: number; readonly capacityBytes: number },
): Promise<readonly (OpenChunk | FailedChunk)[]> {
  const tasks: ChunkTask[] = [];
  for (const item of queue) {
    if (item.kind !== "chunk" || tasks.length >= Math.min(maxBatch.chunks, maxChunks)) break;
    tasks.push(item);
  }
  const located = await Promise.all(tasks.map((task) => locateChunk(scope, task)));
  const results = await Promise.allSettled(chooseBatch(located, capacityBytes).map((chunk) => openChunk(scope, chunk)));
  const rejected = results.find((result) => result.status === "rejected");
  const opened = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (rejected === undefined) return opened;
  releaseAll(opened);
  throw rejected.reason;
}

/** Fails a chunk and all later ones of its stream. */
export function failStream({ streams }: ServiceScope, task: ChunkTask, failure: string): void {
  task.failure = failure;
  if (task.stream === undefined) return;
  task.stream.failure ??= failure;
  streams.remove(task.stream.id);
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

/** Smallest part of a chunk that is worth a place at the end of a buffer. */
export const minPartBytes = 32 * 1024;

/** Returns the first chunks that fit into a part of a buffer together, and the beginning of the next one if there is room. */
function chooseBatch<C extends LocatedChunk | FailedChunk>(chunks: readonly C[], capacityBytes: number): readonly C[] {
  const files = new Set<string>();
  let used = 0;
  for (const [index, chunk] of chunks.entries()) {
    if (used + minPartBytes > capacityBytes) return chunks.slice(0, index);
    if (chunk.kind === "failed") {
      used += minPartBytes;
      continue;
    }
    // The size of a cached block is known when its file is open.
    used += maxHeaderBytes + (chunk.range.sizeBytes ?? capacityBytes);
    files.add(`${chunk.range.directory}/${chunk.range.name}`);
    if (files.size > maxBatch.files) return chunks.slice(0, index);
    if (used > capacityBytes) return chunks.slice(0, index + 1);
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
