import type { Files } from "../host/host.ts";
import { type Digest, type EntryKind, entryDirectories } from "../staging-client/bundle.ts";
import { makeAccessibleDirectory } from "./incoming-file.ts";
import { LocalizeError } from "./localize-error.ts";

/** A file that needs a name in the localized directory. */
interface NamedEntry {
  readonly kind: EntryKind;
  readonly name: string;
  /** Origin of the file, without secrets. */
  readonly origin: string;
  /** Identity: two entries with the same value are the same file. */
  readonly identity: Digest | string;
}

/** Path of a file in the localized directory. */
export interface Destination {
  /** Relative to the localized directory, such as `jars/a.jar`. */
  readonly entry: string;
  readonly path: string;
}

/** Assigns each name to at most one file. */
export interface EntryNames {
  /**
   * Returns the destination, or `undefined` if the same content already has this name.
   *
   * @throws LocalizeError if different content has this name
   */
  readonly claim: (entry: NamedEntry) => Destination | undefined;
}

/** Assigns names in the subdirectories of `directory`. Creates each subdirectory when it is first used. */
export function entryNames(files: Files, directory: string): EntryNames {
  const assigned = new Map<string, NamedEntry>();
  return {
    claim(requested) {
      const subdirectory = entryDirectories[requested.kind];
      const entry = `${subdirectory}/${requested.name}`;
      const other = assigned.get(entry);
      if (other === undefined) {
        assigned.set(entry, requested);
        makeAccessibleDirectory(files, `${directory}/${subdirectory}`);
        return { entry, path: `${directory}/${entry}` };
      }
      if (other.identity === requested.identity) return undefined;
      const message = `${other.origin} and ${requested.origin} would both be stored as ${entry}`;
      throw new LocalizeError("badConfig", message, { entry });
    },
  };
}
