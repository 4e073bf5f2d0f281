import { newestLine, traitsOf } from "../../conf/spark-version.ts";
import { type Issue, issuesOf } from "../../errors/issue.ts";
import { become } from "../../host/become.ts";
import type { Host } from "../../host/host.ts";
import { readSparkHome } from "../../spark/spark-home.ts";
import { javaOptionIssues } from "../../submit/resolve/check-fields.ts";
import { readSettings } from "../../submit/resolve/read-settings.ts";
import { javaOf, launcherSettings, launchOf } from "./find-launch.ts";
import { submitCommand } from "./java-command.ts";
import { nothingSaid } from "./launch.ts";

/** How Spark's launcher lets the Spark of SPARK_HOME tell its usage: the JVM, or why it does not come to that. */
export interface UsageLaunch {
  /** Of the variables, and of the files that are read without a word of a command line. */
  readonly issues: readonly Issue[];
  /** Starts it: gives the exit code. `undefined` where there is no Java, or issues are in the way. */
  readonly start: (() => Promise<number>) | undefined;
}

/**
 * Prepares it, for the class whose usage is wanted. `undefined` where SPARK_HOME is no Spark.
 *
 * @param word `--help`, or `--usage-error` after a refusal
 */
export function usageLaunch(
  host: Host,
  { mainClass, word }: { readonly mainClass: string | undefined; readonly word: string },
): UsageLaunch | undefined {
  const home = host.env["SPARK_HOME"] ?? "";
  const version = home === "" ? undefined : readSparkHome(host, home)?.version;
  if (version === undefined) return undefined;
  const { invocation } = nothingSaid;
  const read = readSettings(host, invocation);
  const launch = launchOf(host, {
    ...{ spark: { home, version }, spoken: newestLine, invocation, settings: launcherSettings(read) },
  });
  const named = mainClass === undefined ? [] : ["--class", mainClass];
  const command = submitCommand(launch, [...named, word, "spark-internal"]);
  const checked = { settings: read.settings, fields: new Map(), traits: traitsOf(launch.line) };
  const issues = [...read.issues, ...issuesOf(command), ...javaOptionIssues(checked)];
  const java = javaOf(host);
  if (!command.ok || issues.length > 0 || java === undefined) return { issues, start: undefined };
  const { args, env } = command.value;
  const variables = { ...launch.host.env, PYTHONHASHSEED: "0", ...env };
  return {
    issues,
    start: async () => (await become(host, { command: java.command, args, env: variables })).code,
  };
}
