import type { SparkVersion } from "../conf/spark-version.ts";
import { newestRelease } from "../conf/spark-version.ts";

/** The version of this package, as in package.json. */
export const firesteelVersion = "0.1.0";

/** What `spark-submit --version` shows: the same sentences as Spark's, so that what searches them still finds. */
export function printVersion({ text, line }: SparkVersion): string {
  return [
    "Welcome to",
    `      Spark, as Firesteel ${firesteelVersion} speaks it   version ${text}`,
    "",
    `Using Scala version ${newestRelease(line).scala} in the pods; no JVM here`,
    "Type --help for more information.",
    "",
  ].join("\n");
}
