import { toSubmitArgs } from "../../command-line/to-submit-args.ts";
import { newestLine, traitsOf } from "../../conf/spark-version.ts";
import { type Issue, issuesOf } from "../../errors/issue.ts";
import { execInPlace } from "../../host/exec-in-place.ts";
import type { Host } from "../../host/host.ts";
import type { CommandLineSettings, SubmitInvocation } from "../../plan/invocation.ts";
import { javaOptionIssues } from "../../resolve/check-fields.ts";
import { type ReadSettings, readSettings } from "../../resolve/read-settings.ts";
import { readSparkHome } from "../../spark/spark-home.ts";
import { javaOf, launcherSettings, launchOf } from "./find-launch.ts";
import { submitCommand } from "./java-command.ts";
import { emptyLaunch, type Launch } from "./launch.ts";

/** Launch of a JVM for something other than a submission, or the issues that prevent it. */
interface UsageLaunch {
  /** Issues in files, variables and JVM options. */
  readonly issues: readonly Issue[];
  /** Starts the JVM of SPARK_HOME. Returns the exit code. `undefined` without Spark or Java, or if there are issues. */
  readonly start: (() => Promise<number>) | undefined;
}

/** Prepares the launch for the given arguments and the option that requests it, e.g. `--help`. */
export function usageLaunch(host: Host, commandLine: Partial<CommandLineSettings>, arg: string): UsageLaunch {
  const { invocation: nothing } = emptyLaunch;
  const invocation = { ...nothing, ...commandLine, forwardedOptions: [arg], resource: "spark-internal" };
  const read = readSettings(host, invocation);
  const launch = launchOfHome(host, invocation, read);
  const command = launch && submitCommand(launch, toSubmitArgs(invocation));
  const issues = [
    ...read.issues,
    ...(command === undefined ? [] : issuesOf(command)),
    ...javaOptionIssues({ settings: read.settings, fields: new Map(), traits: traitsOf(launch?.line ?? newestLine) }),
  ];
  const java = javaOf(host);
  if (launch === undefined || command?.ok !== true || issues.length > 0 || java === undefined)
    return { issues, start: undefined };
  const { args, env } = command.value;
  const variables = { ...launch.host.env, PYTHONHASHSEED: "0", ...env };
  return {
    issues,
    start: async () => (await execInPlace(host, { command: java.command, args, env: variables })).code,
  };
}

function launchOfHome(host: Host, invocation: SubmitInvocation, read: ReadSettings): Launch | undefined {
  const home = host.env["SPARK_HOME"] ?? "";
  const version = home === "" ? undefined : readSparkHome(host, home)?.version;
  if (version === undefined) return undefined;
  const settings = launcherSettings(read);
  return launchOf(host, { spark: { home, version }, targetLine: newestLine, invocation, settings });
}
