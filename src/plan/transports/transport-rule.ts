import type { ConfEntry } from "../../conf/entry.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import type { Issue } from "../../errors/issue.ts";
import type { LocalizedEntry } from "./localized-entry.ts";

/** What is to be carried, and what the settings say about it. */
export interface TransportInput {
  readonly conf: SparkConf;
  readonly entries: readonly LocalizedEntry[];
  /** Paths of this machine, for messages. */
  readonly files: string;
}

/** What planning knows of a transport. What it adds to pods stands in `features/transports`, what it does in `submit/stage/transports`. */
export interface TransportRule {
  /** Goes on after `The files of this machine go to the driver`. */
  readonly way: string;
  /** Goes on after `# Sent`, in what `render` prints of a file that no object carries. @default objects carry all */
  readonly sent?: string;
  /** The settings that it reads. */
  readonly entries: readonly ConfEntry<unknown>[];
  /** Why `auto` takes it when none before it would do; `undefined` where it cannot carry them or is not set up. */
  readonly reason: (cargo: TransportInput) => string | undefined;
  /** Why it cannot carry them though it is asked for by name. */
  readonly check: (cargo: TransportInput) => readonly Issue[];
}
