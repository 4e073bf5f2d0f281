import type { Files } from "../host/host.ts";
import { type Digest, type EntryKind, entryDirectories } from "../staging-client/bundle.ts";
import { LocalizeError } from "./localize-error.ts";
import { makeAccessibleDirectory } from "./placed-file.ts";

/** Something that wants a name below the localised folder. */
export interface NamedEntry {
  readonly kind: EntryKind;
  readonly name: string;
  /** Origin of the file, without secrets. */
  readonly origin: string;
  /** Identity: two entries with the same value are the same file. */
  readonly identity: Digest | string;
}

/** Assigns the path of a file. */
export interface Destination {
  /** `jars/a.jar`. */
  readonly entry: string;
  readonly path: string;
}

/** Gives each name once. */
export interface EntryNames {
  /** `undefined` when the same content has that name. @throws LocalizeError when other content has it */
  readonly claim: (entry: NamedEntry) => Destination | undefined;
}

/** Names in the folders of `directory`, which are made as they are needed. */
export function entryNames(files: Files, directory: string): EntryNames {
  const taken = new Map<string, NamedEntry>();
  return {
    claim(requested) {
      const folder = entryDirectories[requested.kind];
      const entry = `${folder}/${requested.name}`;
      const other = taken.get(entry);
      if (other === undefined) {
        taken.set(entry, requested);
        makeAccessibleDirectory(files, `${directory}/${folder}`);
        return { entry, path: `${directory}/${entry}` };
      }
      if (other.identity === requested.identity) return undefined;
      const message = `${other.origin} and ${requested.origin} would both be ${entry}`;
      throw new LocalizeError("badConfig", message, { entry });
    },
  };
}
