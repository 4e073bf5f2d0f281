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
  /** Removes the directory of an upload, a URI, with its content. Does nothing if it does not exist. */
  readonly remove: (directory: string) => Promise<void>;
  readonly close: () => void;
}

export interface UploadControl {
  readonly signal?: AbortSignal | undefined;
  /** Reports the number of uploaded bytes. */
  readonly onProgress: (bytes: number) => void;
}
