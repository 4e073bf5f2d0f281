import type { BlockFiles } from "../../host/block-files.ts";
import type { Clock } from "../../host/host.ts";
import type { RegisteredExecutor } from "../registry/registrations.ts";
import { RequestFailure } from "../request-failure.ts";
import type { BlockRef } from "./block-list.ts";
import { type FileCache, fileCache, type SharedFile } from "./file-cache.ts";
import { type IndexCache, indexCache } from "./index-cache.ts";
import { blockPathOf, dataFileName, indexFileName, rddFileName } from "./layout.ts";
import type { ShuffleIndex } from "./shuffle-index.ts";

/** Part of a file. */
export interface BlockRange {
  readonly directory: string;
  readonly name: string;
  readonly offset: number;
  /** `undefined`: up to the end of the file. */
  readonly sizeBytes: number | undefined;
}

/** Finds blocks in the files of executors. */
export interface BlockSource {
  readonly files: BlockFiles;
  readonly indexes: IndexCache;
  readonly open: FileCache;
}

/** Limits of a block source. */
interface BlockSourceLimits {
  readonly maxIndexCacheBytes: number;
  readonly maxUnusedFiles: number;
}

/** Creates a source with empty caches. */
export function blockSource(
  files: BlockFiles,
  clock: Pick<Clock, "monotonic">,
  { maxIndexCacheBytes, maxUnusedFiles }: BlockSourceLimits,
): BlockSource {
  return {
    files,
    indexes: indexCache(files, clock, maxIndexCacheBytes),
    open: fileCache(files, clock, maxUnusedFiles),
  };
}

/** Returns the canonical directory of a file of an executor. */
export function directoryOf(executor: RegisteredExecutor, name: string): string {
  const { localDir, subDir } = blockPathOf(name, executor);
  return `${executor.realDirs[localDir] ?? ""}/${subDir}`;
}

/**
 * Finds the part of a file that has a block, from the index as it was at `checkedSinceMs` or later. Does not open the data file.
 *
 * @throws RequestFailure
 */
export function locate(
  { indexes }: BlockSource,
  executor: RegisteredExecutor,
  { block, checkedSinceMs }: { readonly block: BlockRef; readonly checkedSinceMs: number },
): Promise<BlockRange> | BlockRange {
  if (block.kind === "rdd") {
    const name = rddFileName(block.rddId, block.partition);
    return { directory: directoryOf(executor, name), name, offset: 0, sizeBytes: undefined };
  }
  const indexName = indexFileName(block.shuffleId, block.mapId);
  const index = indexes.get(directoryOf(executor, indexName), indexName, checkedSinceMs);
  return index instanceof Promise
    ? index.then((loaded) => rangeOf(executor, block, loaded))
    : rangeOf(executor, block, index);
}

function rangeOf(
  executor: RegisteredExecutor,
  block: Extract<BlockRef, { kind: "shuffle" }>,
  index: ShuffleIndex,
): BlockRange {
  const { shuffleId, mapId, startReduceId, endReduceId } = block;
  if (startReduceId < 0 || endReduceId > index.blocks || startReduceId > endReduceId) {
    const range = `${startReduceId} to ${endReduceId}`;
    throw new RequestFailure(
      "indexOutOfBounds",
      `Reduce IDs ${range} of map ${mapId}, which has ${index.blocks} blocks`,
    );
  }
  const name = dataFileName(shuffleId, mapId);
  const offset = index.offset(startReduceId);
  return { directory: directoryOf(executor, name), name, offset, sizeBytes: index.offset(endReduceId) - offset };
}

/** A block whose file is open, unless it is empty. */
export interface OpenBlock {
  readonly file: SharedFile | undefined;
  readonly offset: number;
  readonly sizeBytes: number;
}

/** Opens the file of a block, and checks that it contains the block. @throws RequestFailure */
export async function openBlock(
  { open }: BlockSource,
  { directory, name, offset, sizeBytes }: BlockRange,
  checkedSinceMs: number,
): Promise<OpenBlock> {
  // The file may not exist if all its blocks are empty.
  if (sizeBytes === 0) return { file: undefined, offset, sizeBytes };
  const file = await open.acquire(directory, name, checkedSinceMs);
  if (file === undefined) {
    if (sizeBytes === undefined) throw new RequestFailure("illegalState", "Chunk was not found");
    throw new RequestFailure("runtime", `Failed to open file: ${directory}/${name}`);
  }
  const found = sizeBytes ?? file.sizeBytes;
  if (offset + found <= file.sizeBytes) return { file, offset, sizeBytes: found };
  file.release();
  open.forget(directory, name);
  throw tooShort(name);
}

/** Builds the failure of a block beyond the end of its file. */
export function tooShort(name: string): RequestFailure {
  return new RequestFailure("runtime", `The file ${name} is shorter than its index says`);
}
