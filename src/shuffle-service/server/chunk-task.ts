import type { BlockRef } from "../files/block-list.ts";
import type { BlockRange, OpenBlock } from "../files/block-source.ts";
import type { BlockStream } from "./streams.ts";

/** A requested chunk. */
export interface ChunkTask {
  readonly kind: "chunk";
  readonly target: ChunkTarget;
  /** `undefined` if the request failed. */
  readonly stream: BlockStream | undefined;
  readonly chunk: number;
  failure: string | undefined;
  /** Place of its block, or why it has none; `undefined` until it is among the next chunks. */
  located: LocatedChunk | FailedChunk | undefined;
}

/** Form of the response: to a chunk request, or to a stream request. */
export type ChunkTarget =
  | { readonly kind: "chunk"; readonly streamId: bigint }
  | { readonly kind: "stream"; readonly streamId: string };

/** A chunk that cannot be sent. */
export interface FailedChunk {
  readonly kind: "failed";
  readonly task: ChunkTask;
  readonly failure: string;
}

/** A chunk whose place is known. */
export interface LocatedChunk {
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
