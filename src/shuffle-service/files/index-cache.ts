import type { BlockFiles } from "../../host/block-files.ts";
import type { Clock } from "../../host/host.ts";
import { RequestFailure } from "../request-failure.ts";
import { maxIndexBytes, parseShuffleIndex, type ShuffleIndex } from "./shuffle-index.ts";

/** Parsed index files. */
export interface IndexCache {
  /**
   * Returns an index that was that of the current file at `checkedSinceMs` or later.
   *
   * @throws RequestFailure if the file does not exist or is invalid
   */
  readonly get: (directory: string, name: string, checkedSinceMs: number) => Promise<ShuffleIndex> | ShuffleIndex;
  readonly forget: (directory: string, name: string) => void;
  readonly statistics: () => CacheStatistics;
}

/** Numbers of a cache. */
export interface CacheStatistics {
  readonly sizeBytes: number;
  readonly hits: number;
  readonly misses: number;
}

interface Entry {
  readonly index: ShuffleIndex;
  readonly identity: string;
  checkedMs: number;
}

/** Bytes of an entry besides its offsets, as in Spark's ShuffleIndexInformation. */
const entryOverheadBytes = 176;

/** Creates an empty cache of limited size. */
export function indexCache(files: BlockFiles, clock: Pick<Clock, "monotonic">, maxBytes: number): IndexCache {
  /** By path, the least recently used first. */
  const entries = new Map<string, Entry>();
  const loading = new Map<string, Promise<ShuffleIndex>>();
  const counts = { sizeBytes: 0, hits: 0, misses: 0 };

  function remove(path: string): void {
    const entry = entries.get(path);
    if (entry === undefined) return;
    counts.sizeBytes -= entry.index.sizeBytes + entryOverheadBytes;
    entries.delete(path);
  }

  function add(path: string, entry: Entry): void {
    remove(path);
    counts.sizeBytes += entry.index.sizeBytes + entryOverheadBytes;
    entries.set(path, entry);
    for (const oldest of entries.keys()) {
      if (counts.sizeBytes <= maxBytes) break;
      remove(oldest);
    }
  }

  async function load(directory: string, name: string): Promise<ShuffleIndex> {
    const path = `${directory}/${name}`;
    const checkedMs = clock.monotonic();
    const known = entries.get(path);
    if (known !== undefined) {
      if ((await files.identify(directory, name)) === known.identity) {
        known.checkedMs = checkedMs;
        counts.hits += 1;
        return known.index;
      }
      remove(path);
    }
    counts.misses += 1;
    const { index, identity } = await readIndex(files, directory, name);
    add(path, { index, identity, checkedMs });
    return index;
  }

  return {
    get(directory, name, checkedSinceMs) {
      const path = `${directory}/${name}`;
      const known = entries.get(path);
      if (known !== undefined && known.checkedMs >= checkedSinceMs) {
        counts.hits += 1;
        return known.index;
      }
      const running = loading.get(path);
      if (running !== undefined) return running;
      const started = load(directory, name).finally(() => loading.delete(path));
      loading.set(path, started);
      return started;
    },
    forget: (directory, name) => remove(`${directory}/${name}`),
    statistics: () => counts,
  };
}

async function readIndex(files: BlockFiles, directory: string, name: string) {
  const path = `${directory}/${name}`;
  const file = await files.open(directory, name);
  // Spark's text.
  if (file === undefined) throw new RequestFailure("runtime", `Failed to open file: ${path}`);
  try {
    if (file.sizeBytes > maxIndexBytes) throw invalid(path, `it has ${file.sizeBytes} bytes`);
    const bytes = Buffer.allocUnsafeSlow(file.sizeBytes);
    const read = await file.read([bytes], 0);
    const index = parseShuffleIndex(bytes.subarray(0, read));
    if (typeof index === "string") throw invalid(path, index);
    return { index, identity: file.identity };
  } finally {
    file.close();
  }
}

function invalid(path: string, reason: string): RequestFailure {
  return new RequestFailure("indexOutOfBounds", `Invalid index file ${path}: ${reason}`);
}
