import type { Upload } from "../../../../plan/uploads.ts";

/** A file system that the pods can read, too. */
export interface UploadTarget {
  /**
   * Connects, and logs in, before the first upload into a directory. Changes nothing.
   *
   * @default nothing: uploads connect
   * @throws Error with the reason
   */
  readonly connect?: (directory: string, signal?: AbortSignal) => Promise<void>;
  /**
   * Copies a file or a directory of this machine into a new directory, and replaces a copy of the same name.
   *
   * @throws Error with the reason; the incomplete copy remains until `remove`
   */
  readonly upload: (upload: Upload, control: UploadControl) => Promise<void>;
  /**
   * Opens a file of a directory; `undefined` if it does not exist. Close it.
   *
   * @throws Error with the reason, the body as well
   */
  readonly open: (directory: string, name: string) => Promise<StoredFile | undefined>;
  /** Removes the directory of an upload, a URI, with its content. Does nothing if it does not exist. */
  readonly remove: (directory: string) => Promise<void>;
  readonly close: () => void;
}

/** Content of an uploaded file. */
export interface StoredFile {
  readonly body: AsyncIterable<Uint8Array>;
  readonly close: () => void;
}

export interface UploadControl {
  readonly signal?: AbortSignal | undefined;
  /** Reports the number of uploaded bytes. */
  readonly onProgress: (bytes: number) => void;
}
