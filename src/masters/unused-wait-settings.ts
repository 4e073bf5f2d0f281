import { firesteelArchive } from "../conf/entries/firesteel.ts";
import { waitAppCompletion } from "../conf/entries/watching.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { archiveAnnotationKey } from "../plan/archive-annotation.ts";
import type { LogLine } from "../plan/log-line.ts";
import type { SubmitContext } from "./master-strategy.ts";
import { firesteelWaitEntries } from "./wait-options.ts";

const archiveHint = " To archive the application after its end, run firesteel bundle while the driver's pod exists.";

/** Whether the driver's annotation requests the archive from its cluster. */
function isArchivedByCluster(conf: SparkConf): boolean {
  return conf.settings().some(({ key }) => key === archiveAnnotationKey);
}

/**
 * Builds one warning for each setting of Firesteel that has no effect, because the submission does not wait for its driver.
 * The settings in `waitEntries` have an effect: the caller applies them itself.
 */
export function unusedWaitLog(
  conf: SparkConf,
  { waitEntries = [] }: Pick<SubmitContext, "waitEntries"> = {},
): readonly LogLine[] {
  if (conf.get(waitAppCompletion)) return [];
  return firesteelWaitEntries
    .filter(
      (entry) =>
        conf.has(entry) && !waitEntries.includes(entry) && !(entry === firesteelArchive && isArchivedByCluster(conf)),
    )
    .map((entry) => ({
      ...{ level: "WARN", logger: "SparkConf" },
      text: `The setting ${entry.key} has no effect, because ${waitAppCompletion.key} is false.${entry === firesteelArchive ? archiveHint : ""}`,
    }));
}
