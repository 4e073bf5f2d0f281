/** A place where modules lie as Maven lays them out. Paths are relative to it. */
export interface Repository {
  /** As Ivy's messages call it: `central`, `repo-1`. */
  readonly name: string;
  /** A whole small file; `undefined` where there is none. Rejects when the repository does not answer. */
  readonly read: (path: string) => Promise<Uint8Array | undefined>;
  readonly has: (path: string) => Promise<boolean>;
  /** Puts a file at a place of this machine: false where there is none. */
  readonly download: (path: string, into: string) => Promise<boolean>;
  /** Lists the names in a directory, if the repository supports it. */
  readonly list: (path: string) => Promise<readonly string[]>;
}
