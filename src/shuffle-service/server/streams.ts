import type { Random } from "../../host/host.ts";
import type { BlockList } from "../files/block-list.ts";
import { RequestFailure } from "../request-failure.ts";

/** An open stream: blocks that its client requests in order, each once. */
export interface BlockStream {
  readonly id: bigint;
  readonly appId: string;
  readonly execId: string;
  readonly blocks: BlockList;
  /** Time of its request, by the monotonic clock. */
  readonly openedMs: number;
  /** Memory of its request. */
  readonly requestBytes: number;
  nextChunk: number;
  /** Failure of a chunk, which applies to all later ones. */
  failure: string | undefined;
}

/** Open streams of all connections. A stream belongs to the connection `C` that opened it. */
export interface OpenStreams<C> {
  readonly add: (owner: C, stream: Omit<BlockStream, "id" | "nextChunk" | "failure">) => BlockStream;
  /** Returns the stream of a chunk, and advances it. Removes it after its last chunk. @throws RequestFailure */
  readonly next: (owner: C, streamId: bigint, chunk: number) => BlockStream;
  readonly remove: (streamId: bigint) => void;
  readonly size: () => number;
}

/** Creates an empty table. `onRemove` is called once for each stream. */
export function openStreams<C>(
  random: Pick<Random, "bytes">,
  onRemove: (owner: C, stream: BlockStream) => void,
): OpenStreams<C> {
  const open = new Map<bigint, { readonly owner: C; readonly stream: BlockStream }>();
  // A random start, so that IDs of an earlier process are unknown. Far below the maximum, so that it cannot overflow.
  let nextId = Buffer.from(random.bytes(8)).readBigUInt64BE() >> 2n;
  const remove = (streamId: bigint) => {
    const found = open.get(streamId);
    if (found === undefined) return;
    open.delete(streamId);
    onRemove(found.owner, found.stream);
  };
  return {
    add(owner, request) {
      const stream = { ...request, id: nextId, nextChunk: 0, failure: undefined };
      nextId += 1n;
      open.set(stream.id, { owner, stream });
      return stream;
    },
    next(owner, streamId, chunk) {
      const found = open.get(streamId);
      if (found === undefined) throw new RequestFailure("illegalArgument", "Unknown stream ID.");
      if (found.owner !== owner) {
        const text = `Channel not authorized to read stream ${streamId}: streams may only be read from the connection that registered them.`;
        throw new RequestFailure("security", text);
      }
      const { stream } = found;
      if (chunk !== stream.nextChunk) {
        const text = `Received out-of-order chunk index ${chunk} (expected ${stream.nextChunk})`;
        throw new RequestFailure("illegalState", text);
      }
      stream.nextChunk += 1;
      if (stream.nextChunk >= stream.blocks.length) remove(streamId);
      return stream;
    },
    remove,
    size: () => open.size,
  };
}

/** Parses `<stream ID>_<chunk>`. @throws RequestFailure */
export function parseStreamChunk(text: string): { readonly streamId: bigint; readonly chunk: number } {
  const [, streamId, chunk] = /^(\d{1,19})_(\d{1,10})$/.exec(text) ?? [];
  if (streamId === undefined) throw new RequestFailure("illegalArgument", `Stream '${text}' was not found.`);
  return { streamId: BigInt(streamId), chunk: Number(chunk) };
}
