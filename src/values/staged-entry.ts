/** What an entry of a bundle is to Spark; each kind has a folder of its own where it is unpacked. */
export const entryKinds = ["jar", "file", "pyfile", "archive"] as const;

export type EntryKind = (typeof entryKinds)[number];

/** SHA-256 of the content, `sha256:` and 64 hex digits in lower case. */
export type Digest = `sha256:${string}`;

/** One staged file: content that may be shared, under a name that its bundle has once for its kind. */
export interface BundleEntry {
  readonly kind: EntryKind;
  /** A base name; see `isEntryName`. */
  readonly name: string;
  readonly digest: Digest;
  /** In bytes. */
  readonly size: number;
  readonly executable: boolean;
}

/** Where the pods find each kind, below the localised folder. */
export const entryDirectories: Readonly<Record<EntryKind, string>> = {
  jar: "jars",
  file: "files",
  pyfile: "pyfiles",
  archive: "archives",
};

/** The localised folder of driver and executors; never the working directory, into which Spark copies. */
export const localizedFolder = "/opt/spark-deps";

/** The name of the init container that brings files, and of the volume with what it is told. */
export const localizingContainer = "firesteel-localize";

/** The working directory of Spark's images, into which the driver copies its files. */
export const workDirectory = "/opt/spark/work-dir";

const longestName = 255;

/** Whether a name is safe as a file's, in a URI, and in Spark's lists: visible, without separators, globs or commas. */
export function isEntryName(name: string): boolean {
  return name.length <= longestName && /^[A-Za-z0-9._-]+$/.test(name) && name !== "." && name !== "..";
}

/** Whether a text is the digest of some content. */
export function isDigest(text: string): text is Digest {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}
