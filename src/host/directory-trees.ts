/**
 * Directories that other programs write to and may replace by links. Disk operations do not block the event loop.
 *
 * A directory is a canonical path: a directory that is reached through a link does not exist.
 */
export interface DirectoryTrees {
  /** Lists the directories in a directory, not the links to directories. Empty if it does not exist. */
  readonly list: (directory: string) => Promise<readonly DirectoryEntry[]>;
  /** Renames a directory within its file system. Returns false if it does not exist. */
  readonly move: (directory: string, target: string) => Promise<boolean>;
  /** Removes a directory with its content, as far as possible. Does not follow links. */
  readonly remove: (directory: string) => Promise<TreeRemoval>;
}

/** Result of the removal of a directory. */
export interface TreeRemoval {
  /** Bytes of the removed files; 0 if the directory does not exist. */
  readonly bytes: number;
  /** Reason why something remains. */
  readonly problem?: string;
}

/** A directory in a directory. */
export interface DirectoryEntry {
  readonly name: string;
  /** Time of the last change of its names, in ms since 1970. */
  readonly modifiedMs: number;
}
