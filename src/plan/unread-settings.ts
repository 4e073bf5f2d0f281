import { knownKeys, type UnreadSetting, unknownOwnSettings, unreadSettings } from "../conf/known-settings.ts";
import { nearestKeys } from "../conf/nearest-keys.ts";
import type { SettingOrigin } from "../conf/setting.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { LogLine } from "./log-line.ts";

/** Settings of ours that do not exist: what they were to do would not be done. */
export function unknownOwnIssues(conf: SparkConf): readonly Issue[] {
  return unknownOwnSettings(conf).map(({ key, origin }) =>
    issue("SUBMIT_ERR_SETTING_UNKNOWN", { key, origin: printOrigin(origin), nearest: nearest(key) }),
  );
}

/**
 * One warning for each of Spark's settings that this Spark does not read.
 *
 * To know all settings takes a part of a millisecond, so it is for when there is nothing else to do.
 */
export function unreadLog(conf: SparkConf): readonly LogLine[] {
  return unreadSettings(conf).map((found) => ({
    level: "WARN",
    logger: "SparkConf",
    text: warning(found, conf.version.text),
  }));
}

function warning({ setting: { key, origin }, reader }: UnreadSetting, version: string): string {
  const place = printOrigin(origin);
  if (reader === "nobody") {
    const offers = nearest(key);
    const question = offers.length === 0 ? "" : ` Did you mean ${offers.join(" or ")}?`;
    return `Unknown setting ${key} (${place}): nothing that we know reads it.${question}`;
  }
  const lines = "since" in reader ? `from Spark ${reader.since} on` : `before Spark ${reader.until}`;
  return `The setting ${key} (${place}) is read ${lines} only; this is Spark ${version}.`;
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
