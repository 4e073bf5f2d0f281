import type { Issue } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import type { UsageInvocation } from "../plan/invocation.ts";
import { specialClasses } from "../plan/special-classes.ts";
import { printLauncherException, printShellScript, printUsageProblems } from "./print.ts";
import { withLauncherScripts } from "./surroundings.ts";

/**
 * Tells problems of a command line exactly as Spark's launcher does. To tell the usage it begins once more, without the words: what is
 * wrong with the files and the variables of SPARK_HOME stops that.
 */
export async function tellAsLauncher(
  host: Host,
  { issues, writeUsage }: { readonly issues: readonly Issue[]; readonly writeUsage: () => Promise<void> },
): Promise<void> {
  const script = printShellScript(issues);
  host.stderr.write(script ?? printUsageProblems(issues));
  if (script !== undefined) return;
  // It knows the class only where that is said first.
  const [first, second] = host.argv;
  const mainClass = first === "--class" ? second : undefined;
  const usage = await launchOfUsage(host, { mainClass, word: "--usage-error" });
  const [problem] = usage?.issues ?? [];
  if (problem !== undefined) host.stderr.write(printLauncherException(problem));
  else if (usage?.start !== undefined && hasOwnOptions(mainClass)) await usage.start();
  else await writeUsage();
}

/**
 * Lets the Spark of SPARK_HOME tell how its SQL shell is used, which has options of its own: gives the exit code, `undefined` where
 * something else is asked for.
 */
export async function tellSqlShellUsage(
  host: Host,
  { fields: { mainClass }, reason }: Pick<UsageInvocation, "fields" | "reason">,
): Promise<number | undefined> {
  if (!hasOwnOptions(mainClass) || reason === "nothing") return undefined;
  const word = reason === "help" ? "--help" : "--usage-error";
  const usage = await launchOfUsage(host, { mainClass, word });
  return usage?.start?.();
}

function hasOwnOptions(mainClass: string | undefined): boolean {
  return mainClass === specialClasses.sqlShell;
}

async function launchOfUsage(host: Host, wanted: { mainClass: string | undefined; word: string }) {
  const { usageLaunch } = await import("../masters/jvm/start-usage.ts");
  return usageLaunch(await withLauncherScripts(host), wanted);
}
