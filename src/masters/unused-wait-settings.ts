import { waitAppCompletion } from "../conf/entries/watching.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import type { LogLine } from "../plan/log-line.ts";
import { firesteelWaitEntries } from "./wait-options.ts";

/** Builds one warning for each setting of Firesteel that has no effect, because the submission does not wait for its driver. */
export function unusedWaitLog(conf: SparkConf): readonly LogLine[] {
  if (conf.get(waitAppCompletion)) return [];
  return firesteelWaitEntries
    .filter((entry) => conf.has(entry))
    .map(({ key }) => ({
      ...{ level: "WARN", logger: "SparkConf" },
      text: `The setting ${key} has no effect, because ${waitAppCompletion.key} is false.`,
    }));
}
