import {
  type IgnoredSetting,
  ignoredSettings,
  knownKeys,
  misspelledSettings,
  unknownFiresteelSettings,
} from "../conf/known-settings.ts";
import { nearestKeys } from "../conf/nearest-keys.ts";
import type { SettingOrigin } from "../conf/setting.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { LogLine } from "./log-line.ts";
import { shuffleWarnings } from "./shuffle-allocation.ts";

/** Reports settings `spark.firesteel.*` that do not exist: without an error, they would have no effect. */
export function unknownFiresteelSettingIssues(conf: SparkConf): readonly Issue[] {
  return unknownFiresteelSettings(conf).map(({ key, origin }) =>
    issue("SUBMIT_ERR_SETTING_UNKNOWN", { key, origin: printOrigin(origin), nearest: nearest(key) }),
  );
}

/**
 * Builds one warning for each setting `spark.kubernetes.*` that this Spark does not read, for each other setting that looks misspelled,
 * and for settings of shuffle data with which executors end or stay.
 *
 * Loading the table of all settings takes part of a millisecond: call this while the submission waits.
 */
export function ignoredSettingLog(conf: SparkConf): readonly LogLine[] {
  const unread = ignoredSettings(conf).map((found) => warning(found, conf.version.text));
  return [...[...shuffleWarnings(conf), ...unread].map(settingWarning), ...misspelledSettingLog(conf)];
}

/** Builds one warning for each setting that looks misspelled, outside the families in which every key is checked. */
export function misspelledSettingLog(conf: SparkConf): readonly LogLine[] {
  return misspelledSettings(conf).map(({ setting: { key, origin }, suggestions }) =>
    settingWarning(`Unknown setting ${key} (${printOrigin(origin)}).${question(suggestions)}`),
  );
}

function settingWarning(text: string): LogLine {
  return { level: "WARN", logger: "SparkConf", text };
}

function warning({ setting: { key, origin }, reader }: IgnoredSetting, version: string): string {
  const location = printOrigin(origin);
  if (reader === "unknown") {
    return `Unknown setting ${key} (${location}): neither Spark nor Firesteel reads it.${question(nearest(key))}`;
  }
  const lines = "since" in reader ? `from Spark ${reader.since} on` : `before Spark ${reader.until}`;
  return `The setting ${key} (${location}) is read ${lines} only; this is Spark ${version}.`;
}

function question(suggestions: readonly string[]): string {
  return suggestions.length === 0 ? "" : ` Did you mean ${suggestions.join(" or ")}?`;
}

function nearest(key: string): readonly string[] {
  return nearestKeys(key, knownKeys().keys());
}

function printOrigin(origin: SettingOrigin): string {
  switch (origin.kind) {
    case "option":
      return origin.option;
    case "conf":
      return "--conf";
    case "file":
      return origin.path;
    case "environment":
      return origin.variable;
    case "client":
      return origin.why;
  }
}
