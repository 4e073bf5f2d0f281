import type { CleanerOptions } from "./start-cleaner.ts";

/** Settings of the cleaner, in ms. */
export interface CleanerSettings extends CleanerOptions {
  /** URL of the Kubernetes API. */
  readonly server: string;
  /** Prefix of the settings, for messages about credentials. */
  readonly settingPrefix: string;
}
