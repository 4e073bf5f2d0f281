import type { Upload } from "../../../../plan/uploads.ts";

/** A file system that the pods can read, too. */
export interface UploadTarget {
  /**
   * Copies a file or a folder of this machine, in pieces, into a new folder; an old copy of the same name is replaced.
   *
   * @throws any Error with the reason; what was made until then stays for `remove`
   */
  readonly upload: (upload: Upload, watching: UploadWatching) => Promise<void>;
  /** Removes the folder of an upload, a URI, with all in it; fine when there is none. */
  readonly remove: (folder: string) => Promise<void>;
  readonly close: () => void;
}

/** Who looks at a copy while it is made. */
export interface UploadWatching {
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes so far. */
  readonly onProgress: (bytes: number) => void;
}
