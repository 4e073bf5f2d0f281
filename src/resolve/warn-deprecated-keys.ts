import { currentPrefixes } from "../conf/entries/checked-prefixes.ts";
import { deprecationOf } from "../conf/entries/deprecated-keys.ts";
import type { SparkLine } from "../conf/spark-version.ts";
import type { Log } from "../host/log.ts";
import type { ReadSettings } from "./read-settings.ts";

/** Logs a warning for each setting with a deprecated key. */
export function warnDeprecatedKeys(
  { settings, warnings }: Pick<ReadSettings, "settings" | "warnings">,
  line: SparkLine,
  log: Log,
): void {
  for (const warning of warnings) log("WARN", "SparkConf", warning);
  for (const key of settings.keys()) {
    // The table of deprecated keys is a separate chunk, which few submissions load.
    if (currentPrefixes.some((prefix) => key.startsWith(prefix))) continue;
    const warning = deprecationOf(key, line);
    if (warning !== undefined) log("WARN", "SparkConf", warning);
  }
}
