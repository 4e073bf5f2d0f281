import { ByteReader } from "./byte-reader.ts";
import { int32, int64, sizedBytes, string, uint8 } from "./byte-writer.ts";
import { MalformedMessage } from "./malformed-message.ts";

/** Type bytes of frames. Source: Spark org.apache.spark.network.protocol.Message.Type. */
export const frameTypes = {
  chunkFetchRequest: 0,
  chunkFetchSuccess: 1,
  chunkFetchFailure: 2,
  rpcRequest: 3,
  rpcResponse: 4,
  rpcFailure: 5,
  streamRequest: 6,
  streamResponse: 7,
  streamFailure: 8,
  onewayMessage: 9,
  uploadStream: 10,
  mergedBlockMetaRequest: 11,
  mergedBlockMetaSuccess: 12,
} as const;

/** A message to the service. */
export type TransportRequest =
  | { readonly kind: "chunkFetch"; readonly streamId: bigint; readonly chunkIndex: number }
  | { readonly kind: "rpc"; readonly requestId: bigint; readonly body: Buffer }
  | { readonly kind: "stream"; readonly streamId: string }
  | { readonly kind: "oneway" }
  /** Its body follows the frame. */
  | { readonly kind: "uploadStream"; readonly requestId: bigint }
  | { readonly kind: "mergedBlockMeta"; readonly requestId: bigint; readonly appId: string };

const responses: ReadonlySet<number> = new Set([
  ...[frameTypes.chunkFetchSuccess, frameTypes.chunkFetchFailure, frameTypes.rpcResponse, frameTypes.rpcFailure],
  ...[frameTypes.streamResponse, frameTypes.streamFailure, frameTypes.mergedBlockMetaSuccess],
]);

/** Decodes the content of a frame. @throws MalformedMessage */
export function decodeRequest(content: Buffer): TransportRequest {
  const reader = new ByteReader(content);
  const type = reader.uint8();
  switch (type) {
    case frameTypes.chunkFetchRequest:
      return { kind: "chunkFetch", streamId: reader.int64(), chunkIndex: reader.int32() };
    case frameTypes.rpcRequest: {
      const requestId = reader.int64();
      // Spark's decoder ignores the length, too: the body is the rest of the frame.
      reader.int32();
      return { kind: "rpc", requestId, body: reader.rest() };
    }
    case frameTypes.streamRequest:
      return { kind: "stream", streamId: streamIdOf(reader) };
    case frameTypes.onewayMessage:
      return { kind: "oneway" };
    case frameTypes.uploadStream:
      return { kind: "uploadStream", requestId: reader.int64() };
    case frameTypes.mergedBlockMetaRequest:
      return { kind: "mergedBlockMeta", requestId: reader.int64(), appId: reader.string() };
    default:
      if (responses.has(type)) throw new MalformedMessage(`Unexpected response of type ${type}`);
      // As a signed byte, as Spark prints it.
      throw new MalformedMessage(`Unknown message type: ${(type << 24) >> 24}`);
  }
}

/** Longest ID of a stream. A failure repeats it, and must fit into a buffer. */
const maxStreamIdLength = 1000;

function streamIdOf(reader: ByteReader): string {
  const streamId = reader.string();
  if (streamId.length > maxStreamIdLength) throw new MalformedMessage(`Too long stream ID: ${streamId.length}`);
  return streamId;
}

/** Encodes the successful answer to an RPC. */
export function rpcResponse(requestId: bigint, body: Uint8Array): Buffer {
  return frame(frameTypes.rpcResponse, int64(requestId), sizedBytes(body));
}

/** Encodes the failure of an RPC. */
export function rpcFailure(requestId: bigint, error: string): Buffer {
  return frame(frameTypes.rpcFailure, int64(requestId), string(error));
}

/** Encodes the failure of a chunk. */
export function chunkFetchFailure(streamId: bigint, chunkIndex: number, error: string): Buffer {
  return frame(frameTypes.chunkFetchFailure, int64(streamId), int32(chunkIndex), string(error));
}

/** Encodes the failure of a stream request. */
export function streamFailure(streamId: string, error: string): Buffer {
  return frame(frameTypes.streamFailure, string(streamId), string(error));
}

/** Encodes the header of a chunk; the frame ends with the chunk. */
export function chunkFetchHeader(streamId: bigint, chunkIndex: number, sizeBytes: number): Buffer {
  const header = Buffer.allocUnsafe(21);
  header.writeBigInt64BE(BigInt(header.length + sizeBytes), 0);
  header.writeUInt8(frameTypes.chunkFetchSuccess, 8);
  header.writeBigInt64BE(streamId, 9);
  header.writeInt32BE(chunkIndex, 17);
  return header;
}

/** Encodes the frame of a stream response; the content follows the frame. */
export function streamResponse(streamId: string, sizeBytes: number): Buffer {
  return frame(frameTypes.streamResponse, string(streamId), int64(BigInt(sizeBytes)));
}

function frame(type: number, ...parts: readonly Buffer[]): Buffer {
  const content = parts.reduce((sum, { length }) => sum + length, 1);
  return Buffer.concat([int64(BigInt(8 + content)), uint8(type), ...parts]);
}
