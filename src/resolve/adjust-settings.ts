import { posix } from "node:path";
import { behaviorsOf } from "../conf/behaviors.ts";
import { master, submitDeployMode } from "../conf/entries/app.ts";
import { firesteelMounts, firesteelPythonEnv } from "../conf/entries/firesteel.ts";
import { replaceFirstReleaseKeys } from "../conf/entries/first-release-keys.ts";
import type { Setting } from "../conf/setting.ts";
import { SparkConf } from "../conf/spark-conf.ts";
import { newestLine, newestRelease } from "../conf/spark-version.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import { planMounts } from "../plan/mounts.ts";
import { planShuffle } from "../plan/shuffle-profile.ts";
import { isEmbeddedMaster } from "./is-embedded-master.ts";

/** Settings with those that others imply. */
interface AdjustedSettings {
  readonly settings: readonly Setting[];
  /** A sentence for each replaced key. */
  readonly warnings: readonly string[];
  readonly issues: readonly Issue[];
}

/** The submitter's machine. */
type Machine = Pick<Host, "env" | "cwd" | "files" | "user">;

/**
 * Replaces keys of the first releases, and adds the settings of `spark.firesteel.shuffle` and `spark.firesteel.mounts` to a submission
 * to Kubernetes.
 *
 * Errors, in `issues`: those of `replaceFirstReleaseKeys`, of `planShuffle` and of `planMounts`; SUBMIT_ERR_KUBERNETES_ONLY.
 */
export function adjustSettings(
  settings: readonly Setting[],
  commandLine: CommandLineSettings & { readonly action?: string },
  machine: Machine,
): AdjustedSettings {
  const { env } = machine;
  const behaviors = behaviorsOf(env);
  const current = replaceFirstReleaseKeys(settings, behaviors);
  const textOf = (key: string) => current.settings.find((setting) => setting.key === key)?.value;
  const manager = commandLine.fields.master ?? textOf(master.key) ?? "";
  if (commandLine.action !== "submit") return current;
  const mode = commandLine.fields.deployMode ?? textOf(submitDeployMode.key) ?? "client";
  const unused = unusedIssues(current.settings, manager, mode);
  if (!manager.startsWith("k8s")) return { ...current, issues: [...current.issues, ...unused] };
  // The check of values depends on the line only in the wording of messages.
  const version = { line: newestLine, text: newestRelease(newestLine).text };
  const conf = new SparkConf(current.settings, version, { env, defaults: () => undefined });
  const shuffle = planShuffle(conf, { mode, behaviors });
  const mounts = planMounts(conf.readOrAbsent(firesteelMounts), {
    locate: (path) => locate(machine, path),
    isEmbedded: isEmbeddedMaster(machine, manager),
    roles: mode === "cluster" ? ["driver", "executor"] : ["executor"],
  });
  return {
    ...current,
    settings: [...current.settings, ...shuffle.added, ...mounts.added],
    issues: [...current.issues, ...unused, ...shuffle.issues, ...mounts.issues],
  };
}

/** Reports settings that would silently have no effect. */
function unusedIssues(settings: readonly Setting[], manager: string, mode: string): readonly Issue[] {
  const isKubernetes = manager.startsWith("k8s");
  const rows = [
    { key: firesteelMounts.key, option: "--mount", scope: "Kubernetes", isUsed: isKubernetes },
    {
      ...{ key: firesteelPythonEnv.key, option: "--python-env", scope: "Kubernetes in cluster mode" },
      isUsed: isKubernetes && mode === "cluster",
    },
  ];
  const shown = `${manager === "" ? "local[*]" : manager} in ${mode} mode`;
  return rows.flatMap(({ isUsed, ...row }) =>
    isUsed || settings.every(({ key }) => key !== row.key)
      ? []
      : [issue("SUBMIT_ERR_KUBERNETES_ONLY", { ...row, master: shown })],
  );
}

/** Returns the absolute path of an existing file; `~` is the home directory. */
function locate({ cwd, files, user }: Machine, text: string): string | undefined {
  const home = text.replace(/^~(?=\/|$)/, user.home);
  const path = posix.resolve(cwd, home);
  return files.info(path) === undefined ? undefined : path;
}
