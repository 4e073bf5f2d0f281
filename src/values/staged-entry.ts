/** Kinds of bundle entries, by their use in Spark. Each kind has its own directory in the pods. */
export const entryKinds = ["jar", "file", "pyfile", "archive"] as const;

/** Kind of a bundle entry. */
export type EntryKind = (typeof entryKinds)[number];

/** SHA-256 of a content: `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

/** Staged file: content that several entries may share, with a name that is unique for its kind in the bundle. */
export interface BundleEntry {
  readonly kind: EntryKind;
  /** Base name; see `isEntryName`. */
  readonly name: string;
  readonly digest: Digest;
  /** In bytes. */
  readonly size: number;
  readonly executable: boolean;
}

/** Directories of the kinds, below the directory of localized files. */
export const entryDirectories: Readonly<Record<EntryKind, string>> = {
  jar: "jars",
  file: "files",
  pyfile: "pyfiles",
  archive: "archives",
};

/** Name of the init container that fetches files, and of the volume with its configuration. */
export const localizingContainer = "firesteel-localize";

/** Working directory of Spark's images, into which the driver copies its files. */
export const workDirectory = "/opt/spark/work-dir";

const maxNameLength = 255;

/** Whether a name is safe for a file, in a URI, and in Spark's lists: without separators, globs or commas. */
export function isEntryName(name: string): boolean {
  return name.length <= maxNameLength && /^[A-Za-z0-9._-]+$/.test(name) && name !== "." && name !== "..";
}

/** Whether a text is a digest. */
export function isDigest(text: string): text is Digest {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}
