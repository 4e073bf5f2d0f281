import type { OpenChunk } from "./chunk-task.ts";
import type { ServiceScope } from "./scope.ts";

/** Counts a chunk that has been sent completely. */
export function countSent({ counters }: ServiceScope, { block, open }: OpenChunk): void {
  counters.chunksInFlight -= 1;
  counters.chunks += 1;
  counters.blocks += block.kind === "rdd" ? 1 : block.endReduceId - block.startReduceId;
  counters.bytes += open.sizeBytes;
}
