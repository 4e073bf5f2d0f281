import type { BundleEntry } from "../../values/staged-entry.ts";

/** A file of the submitter's machine that a transport brings into the directory of localized files. */
export interface LocalizedEntry extends BundleEntry {
  /** Absolute path on the submitter's machine. */
  readonly path: string;
}
