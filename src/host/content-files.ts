/**
 * Files of servers, which can exceed the memory. Disk operations do not block the event loop.
 *
 * All reject with Node's error, e.g. ENOSPC.
 */
export interface ContentFiles {
  /** Opens a file for appending; a new file has mode 0600. Close the writer. */
  readonly openWriter: (path: string) => Promise<ContentWriter>;
  /** Opens a file, which can be read to its end even if it is deleted meanwhile; `undefined` if it does not exist. */
  readonly openReader: (path: string) => Promise<ContentReader | undefined>;
  /** Writes a small file with mode 0600, without syncing it. Creates its directory if necessary. */
  readonly write: (path: string, content: string) => Promise<void>;
  /** Sets the modification time to now. Creates an empty file and its directory if necessary. */
  readonly touch: (path: string) => Promise<void>;
  /** Creates or replaces a small file atomically. Resolves when the content and the name are on disk. */
  readonly replace: (path: string, content: string) => Promise<void>;
  /** `undefined` if it does not exist. */
  readonly readText: (path: string) => Promise<string | undefined>;
  /** Names in a directory, unordered; empty if it does not exist. */
  readonly list: (directory: string) => Promise<readonly string[]>;
  /** Renames a file, replacing the target. Creates the target's directory if necessary. */
  readonly move: (from: string, to: string) => Promise<void>;
  /** Does nothing if it does not exist. */
  readonly remove: (path: string) => Promise<void>;
  /** Resolves when the current names in a directory are on disk. */
  readonly syncDirectory: (directory: string) => Promise<void>;
  /** Bytes that this user can still write. */
  readonly freeBytes: (path: string) => Promise<number>;
}

/** A file that grows. */
export interface ContentWriter {
  /** Number of bytes written. */
  readonly sizeBytes: () => number;
  /** Queues a piece and releases its memory once written. Await the result before the next piece. */
  readonly append: (piece: Uint8Array) => Promise<void> | undefined;
  /** Waits until all queued pieces are written. After an error, `sizeBytes` is the number of bytes written. */
  readonly flush: () => Promise<void>;
  /** Flushes, and syncs the file to disk. */
  readonly sync: () => Promise<void>;
  /** Writes queued pieces and closes the file. Only `flush` reports write errors. */
  readonly close: () => Promise<void>;
}

/** A file as it was when it was opened. */
export interface ContentReader {
  readonly sizeBytes: number;
  /** Up to `sizeBytes` bytes; fewer at the end only. */
  readonly read: (offset: number, sizeBytes: number) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
}
