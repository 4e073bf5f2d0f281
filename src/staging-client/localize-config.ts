import type { BundleEntry, EntryKind } from "./bundle.ts";

/**
 * Configuration of the init container, as JSON in a file of the ConfigMap that it mounts. It contains no secrets: tokens and
 * secrets are in separate files.
 */
export interface LocalizeConfig {
  /** Target directory: `jars/`, `files/`, `pyfiles/`, `archives/` below it. */
  readonly directory: string;
  readonly sources: readonly LocalizeSource[];
  /** Maximum number of concurrent downloads. @default 5 */
  readonly parallel?: number;
  /** Timeout for all sources together, in seconds. @default 300 */
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
  /** PEM of the server's certificate authorities. @default the system's */
  readonly authorityFile?: string;
}

/** A flat tar.gz of the staging server's API v0. */
export interface TarballSource {
  readonly kind: "tarball";
  readonly server: string;
  readonly resourceId: string;
  readonly secretFile: string;
  readonly entryKind: EntryKind;
  /** Unpacked size of all files. An archive that exceeds it by more than 1 % is rejected. @default 200 times the packed size, or 256 MiB */
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
  /** JSON list with one URL per entry, in the same order. */
  readonly urlsFile: string;
  readonly entries: readonly BundleEntry[];
  /** PEM of the servers' certificate authorities. @default the system's */
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

/** JSON line that the init container writes as its termination message and to stderr. */
export interface LocalizeReason {
  readonly code: LocalizeFailure;
  readonly message: string;
  /** Name of the affected entry. */
  readonly entry?: string;
}
