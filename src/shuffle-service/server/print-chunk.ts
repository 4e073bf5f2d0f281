import { chunkFetchFailure, chunkFetchHeader, streamFailure, streamResponse } from "../protocol/transport-messages.ts";
import type { ChunkTask } from "./chunk-task.ts";

/** Returns what precedes the content of a chunk. */
export function printHeader({ target, chunk }: ChunkTask, sizeBytes: number): Buffer {
  if (target.kind === "chunk") return chunkFetchHeader(target.streamId, chunk, sizeBytes);
  return streamResponse(target.streamId, sizeBytes);
}

/** Longest failure for a client. Failures quote what the client sent, and each must fit into a buffer. */
export const maxFailureLength = 4000;

/** Returns the response to a chunk that cannot be sent. */
export function printFailure({ target, chunk }: ChunkTask, failure: string): Buffer {
  const text = failure.slice(0, maxFailureLength);
  if (target.kind === "chunk") return chunkFetchFailure(target.streamId, chunk, text);
  return streamFailure(target.streamId, text);
}
