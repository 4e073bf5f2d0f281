/**
 * Files too large to be in memory as a whole, as servers have them: nobody is held up while the disk works.
 *
 * All reject with Node's error, e.g. ENOSPC.
 */
export interface ContentFiles {
  /** Opens a file for writing at its end, made private to us where it is not there; what is in it stays. */
  readonly openWriter: (path: string) => Promise<ContentWriter>;
  /** `undefined` when there is none. What was opened can be read to its end, even if its name goes meanwhile. */
  readonly openReader: (path: string) => Promise<ContentReader | undefined>;
  /** Replaces or makes a small file as a whole; when it resolves, the disk has it, its name too. */
  readonly replace: (path: string, content: string) => Promise<void>;
  /** `undefined` when there is none. */
  readonly readText: (path: string) => Promise<string | undefined>;
  /** Names in a directory, in no order; none where it is not there. */
  readonly list: (directory: string) => Promise<readonly string[]>;
  /** Waits until the disk has the names of a directory as they are now. */
  readonly syncFolder: (directory: string) => Promise<void>;
  /** Bytes that we may still write. */
  readonly freeBytes: (path: string) => Promise<number>;
}

/** A file that grows. */
export interface ContentWriter {
  readonly sizeBytes: () => number;
  /** All of it, or an error; then `sizeBytes` tells how far it came. */
  readonly append: (chunk: Uint8Array) => Promise<void>;
  /** Waits until the disk has the content. */
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A file as it was when it was opened. */
export interface ContentReader {
  readonly sizeBytes: number;
  /** Up to `sizeBytes` bytes; fewer at the end only. */
  readonly read: (offset: number, sizeBytes: number) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
}
