/**
 * Files too large for memory, as on servers. Disk operations do not block the event loop.
 *
 * All reject with Node's error, e.g. ENOSPC.
 */
export interface ContentFiles {
  /** Opens a file for writing at its end, made private to us where it is not there; what is in it stays. Close it. */
  readonly openWriter: (path: string) => Promise<ContentWriter>;
  /** `undefined` when there is none. What was opened can be read to its end, even if its name goes meanwhile. */
  readonly openReader: (path: string) => Promise<ContentReader | undefined>;
  /** Writes a small file, private to us, in a directory that is made where it is not there; the disk may have it later. */
  readonly write: (path: string, content: string) => Promise<void>;
  /** Replaces or makes a small file as a whole; when it resolves, the disk has it, its name too. */
  readonly replace: (path: string, content: string) => Promise<void>;
  /** `undefined` when there is none. */
  readonly readText: (path: string) => Promise<string | undefined>;
  /** Names in a directory, in no order; none where it is not there. */
  readonly list: (directory: string) => Promise<readonly string[]>;
  /** Gives a file its name, in a directory that is made where it is not there; what had the name is gone. */
  readonly move: (from: string, to: string) => Promise<void>;
  /** Nothing where it is not there. */
  readonly remove: (path: string) => Promise<void>;
  /** Waits until the disk has the names of a directory as they are now. */
  readonly syncDirectory: (directory: string) => Promise<void>;
  /** Bytes that we may still write. */
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
