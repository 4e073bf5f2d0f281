import type { BundleEntry, EntryKind } from "./bundle.ts";

/**
 * Configuration of the init container, as JSON in a file of the ConfigMap that it mounts. Nothing in it is secret: tokens and
 * secrets are files of their own.
 */
export interface LocalizeConfig {
  /** Target directory: `jars/`, `files/`, `pyfiles/`, `archives/` below it. */
  readonly directory: string;
  readonly sources: readonly LocalizeSource[];
  /** Most downloads at once. @default 5 */
  readonly parallel?: number;
  /** For everything together, in seconds. @default 300 */
  readonly timeoutSeconds?: number;
}

/** Source of the staged files. */
export type LocalizeSource = BundleSource | TarballSource | RemoteSource | SignedSource | PushSource;

/** A bundle of the staging server's API v1. */
export interface BundleSource {
  readonly kind: "bundle";
  readonly server: string;
  readonly bundleId: string;
  readonly tokenFile: string;
  /** PEM of the authorities of the server. @default the system's */
  readonly authorityFile?: string;
}

/** A flat tar.gz of the staging server's API v0. */
export interface TarballSource {
  readonly kind: "tarball";
  readonly server: string;
  readonly resourceId: string;
  readonly secretFile: string;
  readonly entryKind: EntryKind;
  /** Of all files in it; what unpacks to more than 1 % above that is refused. @default 200 times what is sent, or 256 MiB */
  readonly totalBytes?: number;
  readonly authorityFile?: string;
}

/** Files of web servers and buckets. */
export interface RemoteSource {
  readonly kind: "remote";
  readonly entries: readonly (Pick<BundleEntry, "kind" | "name"> &
    Partial<Pick<BundleEntry, "digest" | "size" | "executable">> & { readonly uri: string })[];
}

/** Files that any client with their URLs can read. A separate file holds the URLs, because they are secret. */
export interface SignedSource {
  readonly kind: "signed";
  /** A list in JSON: a URL an entry, in their order. */
  readonly urlsFile: string;
  readonly entries: readonly BundleEntry[];
  /** PEM of the authorities of the servers. @default the system's */
  readonly authorityFile?: string;
}

/** Entries that the submitting client sends into the waiting init container. */
export interface PushSource {
  readonly kind: "push";
  readonly port: number;
  readonly secretFile: string;
  readonly entries: readonly BundleEntry[];
  /** Timeout for the client, in seconds. @default 300 */
  readonly clientTimeoutSeconds?: number;
}

/** Exit codes of the init container; `stopped`: it received a signal to stop. */
export const localizeExitCodes = {
  done: 0,
  badConfig: 2,
  unauthorized: 3,
  notFound: 4,
  integrity: 5,
  noSpace: 6,
  network: 7,
  stopped: 143,
} as const;

export type LocalizeFailure = Exclude<keyof typeof localizeExitCodes, "done">;

/** The line of JSON that the init container leaves as its termination message, and writes to stderr. */
export interface LocalizeReason {
  readonly code: LocalizeFailure;
  readonly message: string;
  /** The entry it is about. */
  readonly entry?: string;
}
