import { parseCommandLine } from "../command-line/parse.ts";
import { newestLine } from "../conf/spark-version.ts";
import type { Issue } from "../errors/issue.ts";
import { throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { CommandLineSettings, Invocation, UsageInvocation } from "../plan/invocation.ts";
import { specialClasses } from "../plan/special-classes.ts";
import { withLauncherEnvironment } from "./environment.ts";
import { printLauncherException, printShellScriptError, printUsageErrors } from "./print.ts";

/**
 * Prints problems of a command line exactly as Spark's launcher does. To print the usage text, the launcher starts again without the
 * arguments; a problem with the files or variables of SPARK_HOME then replaces that text.
 */
export async function printLauncherError(
  host: Host,
  { issues, writeUsage }: { readonly issues: readonly Issue[]; readonly writeUsage: () => Promise<void> },
): Promise<void> {
  const script = printShellScriptError(issues);
  host.stderr.write(script ?? printUsageErrors(firstOf([...(await issuesBefore(host, issues)), ...issues])));
  if (script !== undefined) return;
  // The launcher knows the class only if it is the first option.
  const [first, mainClass] = host.argv;
  const settings = first === "--class" && mainClass !== undefined ? { fields: { mainClass } } : {};
  const usage = await launchOf(host, settings, "--usage-error");
  const [problem] = usage.issues;
  if (problem !== undefined) host.stderr.write(printLauncherException(problem));
  else if (usage.start !== undefined && hasOwnOptions(settings)) await usage.start();
  else await writeUsage();
}

/** Returns the problem at which the launcher stops; a missing application has two texts. */
function firstOf([first, ...others]: readonly Issue[]): readonly Issue[] {
  if (first === undefined) return [];
  return missing.includes(first.code) ? [first, ...others] : [first];
}

/** Finds the problems that the launcher reports before a missing application: those of files and JVM options. */
async function issuesBefore(host: Host, issues: readonly Issue[]): Promise<readonly Issue[]> {
  if (!issues.every(({ code }) => missing.includes(code))) return [];
  const completed = parseCommandLine([...host.argv, "spark-internal"], newestLine);
  return completed.ok ? (await launchOf(host, completed.value, "--usage-error")).issues : [];
}

const missing: readonly Issue["code"][] = [
  ...(["SUBMIT_ERR_APP_RESOURCE_MISSING", "SUBMIT_ERR_EXAMPLE_CLASS_MISSING"] as const),
  "SUBMIT_ERR_PRIMARY_RESOURCE_MISSING",
];

/** Checks a command line without a submission as Spark's launcher does before it prints anything. @throws SubmitError */
export async function checkAsLauncher(host: Host, invocation: Invocation): Promise<void> {
  if (invocation.action === "submit" || hasNoArguments(invocation)) return;
  throwIssues((await launchOf(host, invocation, `--${invocation.action}`)).issues);
}

/**
 * Starts the Spark of SPARK_HOME to print the usage text of its SQL shell, which has its own options.
 *
 * @returns the exit code; `undefined` for a request of another usage text
 */
export async function printSqlShellUsage(host: Host, invocation: UsageInvocation): Promise<number | undefined> {
  if (!hasOwnOptions(invocation) || hasNoArguments(invocation)) return undefined;
  const option = invocation.reason === "help" ? "--help" : "--usage-error";
  return (await launchOf(host, invocation, option)).start?.();
}

function hasNoArguments(invocation: Invocation): boolean {
  return invocation.action === "usage" && invocation.reason === "nothing";
}

function hasOwnOptions({ fields }: Partial<CommandLineSettings>): boolean {
  return fields?.mainClass === specialClasses.sqlShell;
}

async function launchOf(host: Host, settings: Partial<CommandLineSettings>, option: string) {
  const { usageLaunch } = await import("../masters/jvm/usage-launch.ts");
  return usageLaunch(await withLauncherEnvironment(host), settings, option);
}
