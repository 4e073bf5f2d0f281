// The plan uses these types too, so they are in src/values.
export {
  type BundleEntry,
  type Digest,
  type EntryKind,
  entryDirectories,
  entryKinds,
  isDigest,
  isEntryName,
} from "../values/staged-entry.ts";

/** The pods for which staged files are kept: those of a namespace that have all the labels. */
export interface StagedOwner {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly type: "Pod";
}
