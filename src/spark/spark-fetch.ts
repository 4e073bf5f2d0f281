import type { Progress } from "../host/progress.ts";

/** Distribution to fetch into its own directory. */
export interface SparkFetch {
  /** A release, e.g. `4.3.0`. */
  readonly version: string;
  /** Empty directory. The distribution goes to `home` below it. */
  readonly work: string;
  readonly progress: Progress;
}

/** Result of a fetch: the archive's name and checksum (sha256, hex), or the reason for failure. */
export type SparkFetchResult =
  | { readonly ok: true; readonly archive: string; readonly sha256: string }
  | { readonly ok: false; readonly reason: string };
