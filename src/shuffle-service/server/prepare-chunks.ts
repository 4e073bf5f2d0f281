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
  const [next] = queue;
  if (next?.kind === "chunk" && next.located === undefined) await locateNext(scope, queue);
  const batch = chooseBatch(locatedChunks(queue, maxChunks), capacityBytes);
  const results = await Promise.allSettled(batch.map((chunk) => openChunk(scope, chunk)));
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

/** Locates the chunks at the start of a queue at the same time, because each may have to read an index. */
async function locateNext(scope: ServiceScope, queue: Connection["queue"]): Promise<void> {
  const end = queue.findIndex((item, index) => item.kind !== "chunk" || index === maxBatch.chunks);
  const tasks = queue.slice(0, end < 0 ? queue.length : end).filter((item) => item.kind === "chunk");
  const located = await Promise.all(tasks.map((task) => locateChunk(scope, task)));
  for (const chunk of located) chunk.task.located = chunk;
}

/** Returns the chunks at the start of a queue that are located. */
function* locatedChunks(queue: Connection["queue"], maxChunks: number): Generator<LocatedChunk | FailedChunk> {
  let count = 0;
  for (const item of queue) {
    if (item.kind !== "chunk" || item.located === undefined || count >= maxChunks) return;
    count += 1;
    const failure = item.failure ?? item.stream?.failure;
    yield failure === undefined ? item.located : { kind: "failed", task: item, failure };
  }
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

/** Returns the first chunks that fit into a part of a buffer together, and the beginning of the next one if it has space. */
function chooseBatch<C extends LocatedChunk | FailedChunk>(chunks: Iterable<C>, capacityBytes: number): readonly C[] {
  const files = new Set<string>();
  const batch: C[] = [];
  let used = 0;
  for (const chunk of chunks) {
    if (used + minPartBytes > capacityBytes) break;
    if (chunk.kind === "located") {
      files.add(`${chunk.range.directory}/${chunk.range.name}`);
      if (files.size > maxBatch.files) break;
    }
    batch.push(chunk);
    // The size of a cached block is known when its file is open.
    used += chunk.kind === "failed" ? minPartBytes : maxHeaderBytes + (chunk.range.sizeBytes ?? capacityBytes);
  }
  return batch;
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
