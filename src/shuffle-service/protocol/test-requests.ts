import { int32, int32s, int64, sizedBytes, string, strings, uint8 } from "./byte-writer.ts";
import { type ExecutorShuffleInfo, transferTypes } from "./transfer-messages.ts";
import { frameTypes } from "./transport-messages.ts";

/** Encodes a frame with any content. */
export function testFrame(type: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat([uint8(type & 0xff), ...parts]);
  return Buffer.concat([int64(BigInt(8 + content.length)), content]);
}

/** Encodes an RPC, as an executor sends it. */
export function testRpc(requestId: bigint, body: Uint8Array): Buffer {
  return testFrame(frameTypes.rpcRequest, int64(requestId), sizedBytes(body));
}

/** Encodes the request for a chunk. */
export function testChunkRequest(streamId: bigint, chunkIndex: number): Buffer {
  return testFrame(frameTypes.chunkFetchRequest, int64(streamId), int32(chunkIndex));
}

/** Encodes a registration. */
export function testRegistration(appId: string, execId: string, info: ExecutorShuffleInfo): Buffer {
  return Buffer.concat([
    ...[uint8(transferTypes.registerExecutor), string(appId), string(execId)],
    ...[strings(info.localDirs), int32(info.subDirsPerLocalDir), string(info.shuffleManager)],
  ]);
}

/** Blocks to fetch: `[map ID, reduce IDs]`. */
type TestBlocks = readonly (readonly [bigint, readonly number[]])[];

/** Encodes a request for shuffle blocks. */
export function testFetch(
  [appId, execId]: readonly [string, string],
  shuffleId: number,
  blocks: TestBlocks,
  isBatch = false,
): Buffer {
  return Buffer.concat([
    ...[uint8(transferTypes.fetchShuffleBlocks), string(appId), string(execId), int32(shuffleId)],
    ...[int32(blocks.length), ...blocks.map(([mapId]) => int64(mapId))],
    ...[int32(blocks.length), ...blocks.map(([, reduceIds]) => int32s(reduceIds))],
    uint8(isBatch ? 1 : 0),
  ]);
}

/** Encodes a message of an application, an executor and names, such as OpenBlocks and RemoveBlocks. */
export function testNames(type: number, [appId, execId]: readonly [string, string], names: readonly string[]): Buffer {
  return Buffer.concat([uint8(type), string(appId), string(execId), strings(names)]);
}
