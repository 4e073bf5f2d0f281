import { parseCommandLine } from "../command-line/parse.ts";
import { newestLine } from "../conf/spark-version.ts";
import type { Issue } from "../errors/issue.ts";
import { throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { CommandLineSettings, Invocation, UsageInvocation } from "../plan/invocation.ts";
import { specialClasses } from "../plan/special-classes.ts";
import { withLauncherEnvironment } from "./environment.ts";
import { printLauncherException, printShellScript, printUsageProblems } from "./print.ts";

/**
 * Tells problems of a command line exactly as Spark's launcher does. To tell the usage it begins once more, without the words: what is
 * wrong with the files and the variables of SPARK_HOME stops that.
 */
export async function printLauncherError(
  host: Host,
  { issues, writeUsage }: { readonly issues: readonly Issue[]; readonly writeUsage: () => Promise<void> },
): Promise<void> {
  const script = printShellScript(issues);
  host.stderr.write(script ?? printUsageProblems([...(await issuesBefore(host, issues)), ...issues]));
  if (script !== undefined) return;
  // It knows the class only where that is said first.
  const [first, mainClass] = host.argv;
  const given = first === "--class" && mainClass !== undefined ? { fields: { mainClass } } : {};
  const usage = await launchOf(host, given, "--usage-error");
  const [problem] = usage.issues;
  if (problem !== undefined) host.stderr.write(printLauncherException(problem));
  else if (usage.start !== undefined && hasOwnOptions(given)) await usage.start();
  else await writeUsage();
}

/** The launcher misses an application only when it has looked at files and at options of the JVM. */
async function issuesBefore(host: Host, issues: readonly Issue[]): Promise<readonly Issue[]> {
  if (!issues.every(({ code }) => missing.includes(code))) return [];
  const completed = parseCommandLine([...host.argv, "spark-internal"], newestLine);
  return completed.ok ? (await launchOf(host, completed.value, "--usage-error")).issues : [];
}

const missing: readonly Issue["code"][] = [
  ...(["SUBMIT_ERR_APP_RESOURCE_MISSING", "SUBMIT_ERR_EXAMPLE_CLASS_MISSING"] as const),
  "SUBMIT_ERR_PRIMARY_RESOURCE_MISSING",
];

/** Refuses what Spark's launcher refuses in a command line that is no submission, before anything is told. @throws SubmitError */
export async function checkAsLauncher(host: Host, invocation: Invocation): Promise<void> {
  if (invocation.action === "submit" || isNothing(invocation)) return;
  throwIssues((await launchOf(host, invocation, `--${invocation.action}`)).issues);
}

/**
 * Lets the Spark of SPARK_HOME tell how its SQL shell is used, which has options of its own: gives the exit code, `undefined` where
 * something else is asked for.
 */
export async function printSqlShellUsage(
  host: Host,
  invocation: UsageInvocation,
): Promise<number | undefined> {
  if (!hasOwnOptions(invocation) || isNothing(invocation)) return undefined;
  const word = invocation.reason === "help" ? "--help" : "--usage-error";
  return (await launchOf(host, invocation, word)).start?.();
}

function isNothing(invocation: Invocation): boolean {
  return invocation.action === "usage" && invocation.reason === "nothing";
}

function hasOwnOptions({ fields }: Partial<CommandLineSettings>): boolean {
  return fields?.mainClass === specialClasses.sqlShell;
}

async function launchOf(host: Host, given: Partial<CommandLineSettings>, word: string) {
  const { usageLaunch } = await import("../masters/jvm/usage-launch.ts");
  return usageLaunch(await withLauncherEnvironment(host), given, word);
}
