/** Modules in Maven's layout. Paths are relative to the repository's root. */
export interface Repository {
  /** Name in Ivy's messages: `central`, `repo-1`. */
  readonly name: string;
  /** Reads a small file. Resolves to `undefined` if it does not exist; rejects if the repository does not respond. */
  readonly read: (path: string) => Promise<Uint8Array | undefined>;
  readonly has: (path: string) => Promise<boolean>;
  /** Downloads a file. Resolves to false if it does not exist. */
  readonly download: (path: string, into: string) => Promise<boolean>;
  /** Lists the names in a directory, if the repository supports it. */
  readonly list: (path: string) => Promise<readonly string[]>;
}
