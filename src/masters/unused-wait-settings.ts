import { firesteelArchive } from "../conf/entries/firesteel.ts";
import { waitAppCompletion } from "../conf/entries/watching.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import type { LogLine } from "../plan/log-line.ts";
import { firesteelWaitEntries } from "./wait-options.ts";

const archiveHint = " To archive the application after its end, run firesteel bundle while the driver's pod exists.";

/** Builds one warning for each setting of Firesteel that has no effect, because the submission does not wait for its driver. */
export function unusedWaitLog(conf: SparkConf): readonly LogLine[] {
  if (conf.get(waitAppCompletion)) return [];
  return firesteelWaitEntries
    .filter((entry) => conf.has(entry))
    .map((entry) => ({
      ...{ level: "WARN", logger: "SparkConf" },
      text: `The setting ${entry.key} has no effect, because ${waitAppCompletion.key} is false.${entry === firesteelArchive ? archiveHint : ""}`,
    }));
}
