import type { BlockFile, BlockFiles } from "../../host/block-files.ts";
import type { Clock } from "../../host/host.ts";

/** A file that its users share. */
export interface SharedFile extends Omit<BlockFile, "close"> {
  /** The file stays open until each user has released it. */
  readonly release: () => void;
}

/** Open data files, so that several blocks of a file need one `open`. */
export interface FileCache {
  /**
   * Opens a file, or shares the open one if it was the current file at `checkedSinceMs` or later. Returns `undefined` if it does not exist.
   */
  readonly acquire: (directory: string, name: string, checkedSinceMs: number) => Promise<SharedFile | undefined>;
  /** Shares an open file if it was the current file at `checkedSinceMs` or later. */
  readonly share: (directory: string, name: string, checkedSinceMs: number) => SharedFile | undefined;
  /** Closes a file as soon as it has no users: a removed file keeps its disk space while it is open. */
  readonly forget: (directory: string, name: string) => void;
  readonly openFiles: () => number;
  /** Closes the files that have had no user for `idleMs`. */
  readonly closeIdle: (idleMs: number) => void;
}

interface Entry {
  readonly path: string;
  readonly file: BlockFile;
  users: number;
  checkedMs: number;
  usedMs: number;
}

/** Creates an empty cache. Keeps up to `maxUnused` files that have no users. */
export function fileCache(files: BlockFiles, clock: Pick<Clock, "monotonic">, maxUnused: number): FileCache {
  /** By path, the least recently used first. */
  const entries = new Map<string, Entry>();
  let unused = 0;
  let open = 0;

  function close({ file }: Entry): void {
    open -= 1;
    file.close();
  }

  function drop(entry: Entry): void {
    if (entries.get(entry.path) !== entry) return;
    entries.delete(entry.path);
    if (entry.users > 0) return;
    unused -= 1;
    close(entry);
  }

  function share(entry: Entry): SharedFile {
    if (entry.users === 0 && entries.get(entry.path) === entry) unused -= 1;
    entry.users += 1;
    return { ...entry.file, release: () => release(entry) };
  }

  function release(entry: Entry): void {
    entry.users -= 1;
    entry.usedMs = clock.monotonic();
    if (entry.users > 0) return;
    if (entries.get(entry.path) !== entry) {
      close(entry);
      return;
    }
    entries.delete(entry.path);
    entries.set(entry.path, entry);
    unused += 1;
    for (const oldest of entries.values()) {
      if (unused <= maxUnused) break;
      if (oldest.users === 0) drop(oldest);
    }
  }

  return {
    async acquire(directory, name, checkedSinceMs) {
      const path = `${directory}/${name}`;
      const known = entries.get(path);
      if (known !== undefined && known.checkedMs >= checkedSinceMs) return share(known);
      const startedMs = clock.monotonic();
      if (known !== undefined) {
        const shared = share(known);
        const isCurrent = (await files.identify(directory, name)) === known.file.identity;
        if (isCurrent) {
          known.checkedMs = startedMs;
          return shared;
        }
        drop(known);
        shared.release();
      }
      const file = await files.open(directory, name);
      if (file === undefined) return undefined;
      open += 1;
      const other = entries.get(path);
      if (other !== undefined) drop(other);
      const entry = { path, file, users: 0, checkedMs: startedMs, usedMs: startedMs };
      entries.set(path, entry);
      unused += 1;
      return share(entry);
    },
    share(directory, name, checkedSinceMs) {
      const known = entries.get(`${directory}/${name}`);
      return known !== undefined && known.checkedMs >= checkedSinceMs ? share(known) : undefined;
    },
    forget(directory, name) {
      const entry = entries.get(`${directory}/${name}`);
      if (entry !== undefined) drop(entry);
    },
    openFiles: () => open,
    closeIdle(idleMs) {
      const before = clock.monotonic() - idleMs;
      for (const entry of [...entries.values()]) if (entry.users === 0 && entry.usedMs <= before) drop(entry);
    },
  };
}
