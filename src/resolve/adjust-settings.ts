import { behaviorsOf } from "../conf/behaviors.ts";
import { master, submitDeployMode } from "../conf/entries/app.ts";
import { replaceFirstReleaseKeys } from "../conf/entries/first-release-keys.ts";
import type { Setting } from "../conf/setting.ts";
import { SparkConf } from "../conf/spark-conf.ts";
import { newestLine, newestRelease } from "../conf/spark-version.ts";
import type { Issue } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import { planShuffle } from "../plan/shuffle-profile.ts";

/** Settings with those that others imply. */
interface AdjustedSettings {
  readonly settings: readonly Setting[];
  /** A sentence for each replaced key. */
  readonly warnings: readonly string[];
  readonly issues: readonly Issue[];
}

/**
 * Replaces keys of the first releases, and adds the settings of `spark.firesteel.shuffle` to a submission to Kubernetes.
 *
 * Errors, in `issues`: those of `replaceFirstReleaseKeys` and of `planShuffle`.
 */
export function adjustSettings(
  settings: readonly Setting[],
  commandLine: CommandLineSettings & { readonly action?: string },
  env: Host["env"],
): AdjustedSettings {
  const behaviors = behaviorsOf(env);
  const current = replaceFirstReleaseKeys(settings, behaviors);
  const textOf = (key: string) => current.settings.find((setting) => setting.key === key)?.value;
  const manager = commandLine.fields.master ?? textOf(master.key) ?? "";
  if (commandLine.action !== "submit" || !manager.startsWith("k8s")) return current;
  const mode = commandLine.fields.deployMode ?? textOf(submitDeployMode.key) ?? "client";
  // The check of values depends on the line only in the wording of messages.
  const version = { line: newestLine, text: newestRelease(newestLine).text };
  const conf = new SparkConf(current.settings, version, { env, defaults: () => undefined });
  const { added, issues } = planShuffle(conf, { mode, behaviors });
  return { ...current, settings: [...current.settings, ...added], issues: [...current.issues, ...issues] };
}
