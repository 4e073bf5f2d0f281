import { ByteReader, type Int32Lists } from "./byte-reader.ts";
import { int32, int32s, int64, strings, uint8 } from "./byte-writer.ts";
import { MalformedMessage } from "./malformed-message.ts";

/** Type bytes of the messages in RPCs. Source: Spark org.apache.spark.network.shuffle.protocol.BlockTransferMessage.Type. */
export const transferTypes = {
  openBlocks: 0,
  registerExecutor: 2,
  streamHandle: 3,
  removeBlocks: 7,
  blocksRemoved: 8,
  fetchShuffleBlocks: 9,
  getLocalDirsForExecutors: 10,
  localDirsForExecutors: 11,
  pushBlockStream: 12,
  finalizeShuffleMerge: 13,
  fetchShuffleBlockChunks: 15,
  diagnoseCorruption: 16,
  corruptionCause: 17,
  removeShuffleMerge: 19,
} as const;

/** Local directories of an executor. */
export interface ExecutorShuffleInfo {
  readonly localDirs: readonly string[];
  readonly subDirsPerLocalDir: number;
  /** Class name, which the service stores and does not use. */
  readonly shuffleManager: string;
}

/** A request in an RPC. */
export type TransferRequest =
  | {
      readonly kind: "openBlocks";
      readonly appId: string;
      readonly execId: string;
      readonly blockIds: readonly string[];
    }
  | ({ readonly kind: "registerExecutor"; readonly appId: string; readonly execId: string } & ExecutorShuffleInfo)
  | {
      readonly kind: "removeBlocks";
      readonly appId: string;
      readonly execId: string;
      readonly names: readonly string[];
    }
  | FetchShuffleBlocks
  | { readonly kind: "getLocalDirs"; readonly appId: string; readonly execIds: readonly string[] }
  | DiagnoseCorruption
  /** Of push-based shuffle, which only YARN has. */
  | { readonly kind: "merge"; readonly appId: string }
  | { readonly kind: "removeMerge"; readonly appId: string };

/** Blocks of one shuffle, in the order of their chunks. */
export interface FetchShuffleBlocks {
  readonly kind: "fetchShuffleBlocks";
  readonly appId: string;
  readonly execId: string;
  readonly shuffleId: number;
  readonly mapIds: BigInt64Array;
  /** By map: its reduce IDs, or the start and the exclusive end of one range if `isBatch`. */
  readonly reduceIds: Int32Lists;
  readonly isBatch: boolean;
}

/** Question for the cause of a block's wrong checksum. */
export interface DiagnoseCorruption {
  readonly kind: "diagnoseCorruption";
  readonly appId: string;
  readonly execId: string;
  readonly shuffleId: number;
  readonly mapId: bigint;
  readonly reduceId: number;
  readonly checksum: bigint;
  readonly algorithm: string;
}

/** Causes by their code. Source: Spark org.apache.spark.network.shuffle.checksum.Cause. */
export const corruptionCauses = {
  diskIssue: 0,
  networkIssue: 1,
  unknownIssue: 2,
  checksumVerifyPass: 3,
  unsupportedChecksumAlgorithm: 4,
} as const;

/** Decodes the body of an RPC. Bytes after the message are ignored, as in Spark. @throws MalformedMessage */
export function decodeTransferRequest(body: Buffer): TransferRequest {
  const reader = new ByteReader(body);
  const type = reader.uint8();
  switch (type) {
    case transferTypes.openBlocks:
      return { kind: "openBlocks", ...executorOf(reader), blockIds: reader.strings() };
    case transferTypes.registerExecutor:
      return { kind: "registerExecutor", ...executorOf(reader), ...shuffleInfoOf(reader) };
    case transferTypes.removeBlocks:
      return { kind: "removeBlocks", ...executorOf(reader), names: reader.strings() };
    case transferTypes.fetchShuffleBlocks:
      return fetchShuffleBlocksOf(reader);
    case transferTypes.getLocalDirsForExecutors:
      return { kind: "getLocalDirs", appId: reader.string(), execIds: reader.strings() };
    case transferTypes.diagnoseCorruption:
      return {
        ...{ kind: "diagnoseCorruption", ...executorOf(reader), shuffleId: reader.int32(), mapId: reader.int64() },
        ...{ reduceId: reader.int32(), checksum: reader.int64(), algorithm: reader.string() },
      };
    case transferTypes.pushBlockStream:
    case transferTypes.finalizeShuffleMerge:
    case transferTypes.fetchShuffleBlockChunks:
      return { kind: "merge", appId: reader.string() };
    case transferTypes.removeShuffleMerge:
      return { kind: "removeMerge", appId: reader.string() };
    default:
      throw new MalformedMessage(`Unknown message type: ${(type << 24) >> 24}`);
  }
}

function executorOf(reader: ByteReader): { readonly appId: string; readonly execId: string } {
  return { appId: reader.string(), execId: reader.string() };
}

function shuffleInfoOf(reader: ByteReader): ExecutorShuffleInfo {
  return { localDirs: reader.strings(), subDirsPerLocalDir: reader.int32(), shuffleManager: reader.string() };
}

function fetchShuffleBlocksOf(reader: ByteReader): FetchShuffleBlocks {
  const message = {
    ...{ kind: "fetchShuffleBlocks" as const, ...executorOf(reader), shuffleId: reader.int32() },
    ...{ mapIds: reader.int64s(), reduceIds: reader.int32Lists(), isBatch: reader.boolean() },
  };
  const { mapIds, reduceIds, isBatch } = message;
  if (mapIds.length !== reduceIds.ends.length) {
    throw new MalformedMessage(`${mapIds.length} map IDs, but ${reduceIds.ends.length} lists of reduce IDs.`);
  }
  if (isBatch && reduceIds.ends.some((end, index) => end !== 2 * (index + 1))) {
    throw new MalformedMessage("A range of a batch must have a start and an end.");
  }
  return message;
}

/** Encodes the handle of an open stream. */
export function streamHandle(streamId: bigint, chunks: number): Buffer {
  return Buffer.concat([uint8(transferTypes.streamHandle), int64(streamId), int32(chunks)]);
}

/** Encodes the number of removed files. */
export function blocksRemoved(count: number): Buffer {
  return Buffer.concat([uint8(transferTypes.blocksRemoved), int32(count)]);
}

/** Encodes the local directories of executors. */
export function localDirsForExecutors(dirsByExecutor: ReadonlyMap<string, readonly string[]>): Buffer {
  const dirs = [...dirsByExecutor.values()];
  return Buffer.concat([
    ...[uint8(transferTypes.localDirsForExecutors), strings([...dirsByExecutor.keys()])],
    ...[int32s(dirs.map(({ length }) => length)), strings(dirs.flat())],
  ]);
}

/** Encodes the cause of a wrong checksum. */
export function corruptionCause(cause: keyof typeof corruptionCauses): Buffer {
  return Buffer.from([transferTypes.corruptionCause, corruptionCauses[cause]]);
}
