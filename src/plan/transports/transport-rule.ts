import type { ConfEntry } from "../../conf/entry.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import type { Issue } from "../../errors/issue.ts";
import type { LocalizedEntry } from "./localized-entry.ts";

/** Files to transfer, and the settings that apply to them. */
export interface TransportInput {
  readonly conf: SparkConf;
  readonly entries: readonly LocalizedEntry[];
  /** Whether the init container also fetches remote files. */
  readonly hasRemoteFiles: boolean;
  /** Comma-separated paths on this machine, for messages. */
  readonly files: string;
}

/** Transport as planning sees it. `features/transports` has its pod changes, `masters/kubernetes/stage/transports` its actions. */
export interface TransportRule {
  /** Continues `The files of this machine go to the driver`. */
  readonly description: string;
  /** Continues `# Sent` in the output of `render`, for files that are not in the objects. @default the objects contain all files */
  readonly sent?: string;
  /** Settings that the transport reads. */
  readonly entries: readonly ConfEntry<unknown>[];
  /** Explains why `auto` chooses this transport after the earlier ones; `undefined` if it cannot transfer the files or is not set up. */
  readonly reason: (input: TransportInput) => string | undefined;
  /** Reports why the transport cannot transfer the files, if it is the configured one. */
  readonly check: (input: TransportInput) => readonly Issue[];
}
