import { declaredEntries, isEntry } from "../conf/entries/topics.ts";
import { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issuesOf } from "../errors/issue.ts";
import { unknownFiresteelSettingIssues } from "../plan/ignored-settings.ts";
import type { ResolvedSettings } from "./resolve-settings.ts";
import { substitutionSources } from "./substitution-sources.ts";

/**
 * Reports the problems of settings that are independent of the cluster manager, for a submission without a valid one: unknown settings
 * of Firesteel, and values of other types.
 */
export function settingIssues({
  host,
  read,
  version,
}: Pick<ResolvedSettings, "host" | "read" | "version">): readonly Issue[] {
  const conf = new SparkConf(read.settings.values(), version, substitutionSources(host));
  const typed = declaredEntries().flatMap((entry) =>
    isEntry(entry) && read.settings.has(entry.key) ? issuesOf(conf.read(entry)) : [],
  );
  return [...typed, ...unknownFiresteelSettingIssues(conf)];
}
