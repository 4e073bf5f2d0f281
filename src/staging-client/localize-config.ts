import type { BundleEntry } from "./bundle.ts";

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
export type LocalizeSource = BundleSource | RemoteSource | PushSource;

/** A bundle of the staging server's API v1. */
export interface BundleSource {
  readonly kind: "bundle";
  readonly server: string;
  readonly bundleId: string;
  readonly tokenFile: string;
  /** PEM of the server's certificate authorities. @default the system's */
  readonly authorityFile?: string;
}

/** Files that any client with their URLs can read. A separate file holds the URLs, because they can grant access. */
export interface RemoteSource {
  readonly kind: "remote";
  /** JSON list with one item per entry, in the same order: a URL, or a list of URLs of servers of which one is active. */
  readonly urlsFile: string;
  readonly entries: readonly RemoteEntry[];
  /** PEM of the servers' certificate authorities. @default the system's */
  readonly authorityFile?: string;
}

/** File of a web server, a bucket or an HDFS. Digest and size are checked if they are known. */
export type RemoteEntry = Pick<BundleEntry, "kind" | "name"> &
  Partial<Pick<BundleEntry, "digest" | "size" | "executable">>;

/** Entries that the submitting client sends into the waiting init container. */
export interface PushSource {
  readonly kind: "push";
  readonly port: number;
  readonly secretFile: string;
  readonly entries: readonly BundleEntry[];
  /** Timeout for the client, in seconds. @default 300 */
  readonly clientTimeoutSeconds?: number;
  /** Path in front of the protocol's paths, e.g. `/jobs/app-1`. @default none */
  readonly basePath?: string;
  /** PEM of the server's private key; enables TLS together with `certificateFile`. */
  readonly keyFile?: string;
  /** PEM of the server's certificate and its chain. */
  readonly certificateFile?: string;
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
