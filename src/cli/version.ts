import type { SparkVersion } from "../conf/spark-version.ts";
import { newestRelease } from "../conf/spark-version.ts";

/** Version of this package, as in package.json. */
export const firesteelVersion = "0.1.0";

/** Prints the output of `spark-submit --version`, with the lines of Spark that tools parse. */
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
