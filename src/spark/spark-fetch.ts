import type { Progress } from "../host/progress.ts";

/** One distribution to fetch into a folder of its own. */
export interface SparkFetch {
  /** A release, e.g. `4.3.0`. */
  readonly version: string;
  /** An empty folder; `home` below it is to become the distribution. */
  readonly work: string;
  readonly progress: Progress;
}

/** What came of it: the archive's name and checksum (sha256, hex), or why there is nothing. */
export type SparkFetchResult =
  | { readonly ok: true; readonly archive: string; readonly sha256: string }
  | { readonly ok: false; readonly reason: string };
