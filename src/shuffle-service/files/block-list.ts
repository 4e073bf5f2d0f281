import { MalformedMessage } from "../protocol/malformed-message.ts";
import type { FetchShuffleBlocks } from "../protocol/transfer-messages.ts";

/** A block that a chunk contains. */
export type BlockRef =
  /** Consecutive blocks of a map output, `endReduceId` exclusive. */
  | {
      readonly kind: "shuffle";
      readonly shuffleId: number;
      readonly mapId: bigint;
      readonly startReduceId: number;
      readonly endReduceId: number;
    }
  | { readonly kind: "rdd"; readonly rddId: number; readonly partition: number };

/** The blocks of a stream, by chunk. */
export interface BlockList {
  readonly length: number;
  readonly at: (chunk: number) => BlockRef;
}

/** Blocks of a request by numbers. A chunk is one reduce ID of one map, or one range of a batch. */
export function listShuffleBlocks({ shuffleId, mapIds, reduceIds, isBatch }: FetchShuffleBlocks): BlockList {
  const { values, ends } = reduceIds;
  if (isBatch) {
    return {
      length: mapIds.length,
      at: (chunk) => ({
        ...{ kind: "shuffle", shuffleId, mapId: mapIds[chunk] ?? 0n },
        ...{ startReduceId: values[2 * chunk] ?? 0, endReduceId: values[2 * chunk + 1] ?? 0 },
      }),
    };
  }
  // Chunks are read in order, so the map of the last one is a good start.
  let map = 0;
  return {
    length: values.length,
    at(chunk) {
      if (chunk < (ends[map - 1] ?? 0)) map = 0;
      while (chunk >= (ends[map] ?? Number.POSITIVE_INFINITY)) map += 1;
      const reduceId = values[chunk] ?? 0;
      return {
        ...{ kind: "shuffle", shuffleId, mapId: mapIds[map] ?? 0n },
        ...{ startReduceId: reduceId, endReduceId: reduceId + 1 },
      };
    },
  };
}

/**
 * Blocks of a request by names, which must be of one kind and one shuffle.
 *
 * Errors: MalformedMessage with the texts of Spark's ExternalBlockHandler, as an IllegalArgumentException.
 */
export function listNamedBlocks(blockIds: readonly string[]): BlockList {
  const first = blockIds[0]?.split("_") ?? [];
  if (first.length === 4 && first[0] === "shuffle") return listNamedShuffleBlocks(blockIds, first[1] ?? "");
  if (first.length === 3 && first[0] === "rdd") return listRddBlocks(blockIds);
  throw new MalformedMessage(`Unexpected block id format: ${blockIds[0] ?? ""}`);
}

function listNamedShuffleBlocks(blockIds: readonly string[], shuffle: string): BlockList {
  const shuffleId = int32Of(shuffle, blockIds[0] ?? "");
  const maps = new Int32Array(blockIds.length);
  const reduces = new Int32Array(blockIds.length);
  blockIds.forEach((blockId, index) => {
    const parts = blockId.split("_");
    if (parts.length !== 4 || parts[0] !== "shuffle") {
      throw new MalformedMessage(`Unexpected shuffle block id format: ${blockId}`);
    }
    if (int32Of(parts[1] ?? "", blockId) !== shuffleId) {
      throw new MalformedMessage(`Expected shuffleId=${shuffleId}, got:${blockId}`);
    }
    maps[index] = int32Of(parts[2] ?? "", blockId);
    reduces[index] = int32Of(parts[3] ?? "", blockId);
  });
  return {
    length: blockIds.length,
    at(chunk) {
      const startReduceId = reduces[chunk] ?? 0;
      const mapId = BigInt(maps[chunk] ?? 0);
      return { kind: "shuffle", shuffleId, mapId, startReduceId, endReduceId: startReduceId + 1 };
    },
  };
}

function listRddBlocks(blockIds: readonly string[]): BlockList {
  const rdds = new Int32Array(blockIds.length);
  const partitions = new Int32Array(blockIds.length);
  blockIds.forEach((blockId, index) => {
    const parts = blockId.split("_");
    if (parts.length !== 3 || parts[0] !== "rdd")
      throw new MalformedMessage(`Unexpected RDD block id format: ${blockId}`);
    rdds[index] = int32Of(parts[1] ?? "", blockId);
    partitions[index] = int32Of(parts[2] ?? "", blockId);
  });
  return {
    length: blockIds.length,
    at: (chunk) => ({ kind: "rdd", rddId: rdds[chunk] ?? 0, partition: partitions[chunk] ?? 0 }),
  };
}

/** Parses as Java's `Integer.parseInt`. */
function int32Of(text: string, blockId: string): number {
  const value = /^[+-]?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value === (value | 0)) return value;
  throw new MalformedMessage(`Unexpected block id format: ${blockId}`);
}
