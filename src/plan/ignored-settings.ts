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

/** Settings of ours that do not exist: what they were to do would not be done. */
export function unknownFiresteelSettingIssues(conf: SparkConf): readonly Issue[] {
  return unknownFiresteelSettings(conf).map(({ key, origin }) =>
    issue("SUBMIT_ERR_SETTING_UNKNOWN", { key, origin: printOrigin(origin), nearest: nearest(key) }),
  );
}

/**
 * One warning for each of Spark's settings for Kubernetes that this Spark does not read, and for each other that looks like
 * a slip.
 *
 * To know all settings takes a part of a millisecond, so it is for when there is nothing else to do.
 */
export function ignoredSettingLog(conf: SparkConf): readonly LogLine[] {
  const unread = ignoredSettings(conf).map((found) => warning(found, conf.version.text));
  const misspelt = misspelledSettings(conf).map(
    ({ setting: { key, origin }, meant }) =>
      `Unknown setting ${key} (${printOrigin(origin)}).${question(meant)}`,
  );
  return [...unread, ...misspelt].map((text) => ({ level: "WARN", logger: "SparkConf", text }));
}

function warning({ setting: { key, origin }, reader }: IgnoredSetting, version: string): string {
  const place = printOrigin(origin);
  if (reader === "nobody") {
    return `Unknown setting ${key} (${place}): nothing that we know reads it.${question(nearest(key))}`;
  }
  const lines = "since" in reader ? `from Spark ${reader.since} on` : `before Spark ${reader.until}`;
  return `The setting ${key} (${place}) is read ${lines} only; this is Spark ${version}.`;
}

function question(offers: readonly string[]): string {
  return offers.length === 0 ? "" : ` Did you mean ${offers.join(" or ")}?`;
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
