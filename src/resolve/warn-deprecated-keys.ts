import { currentPrefixes } from "../conf/entries/checked-prefixes.ts";
import { deprecationOf } from "../conf/entries/deprecated-keys.ts";
import type { Setting } from "../conf/setting.ts";
import type { SparkLine } from "../conf/spark-version.ts";
import type { Log } from "../host/log.ts";

/** Warns of each setting whose key Spark keeps only for old times' sake. */
export function warnDeprecatedKeys(settings: ReadonlyMap<string, Setting>, line: SparkLine, log: Log): void {
  for (const key of settings.keys()) {
    // The table of older keys is a part of its own, which few submissions load.
    if (currentPrefixes.some((beginning) => key.startsWith(beginning))) continue;
    const warning = deprecationOf(key, line);
    if (warning !== undefined) log("WARN", "SparkConf", warning);
  }
}
