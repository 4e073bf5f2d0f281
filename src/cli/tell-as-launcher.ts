import type { Issue } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import type { UsageInvocation } from "../plan/invocation.ts";
import { specialClasses } from "../plan/special-classes.ts";
import { printShellScript, printUsageProblems } from "./print.ts";
import { withLauncherScripts } from "./surroundings.ts";

/** Tells problems of a command line exactly as Spark's launcher does, which lets Spark itself tell the usage. */
export async function tellAsLauncher(
  host: Host,
  { issues, writeUsage }: { readonly issues: readonly Issue[]; readonly writeUsage: () => Promise<void> },
): Promise<void> {
  const script = printShellScript(issues);
  host.stderr.write(script ?? printUsageProblems(issues));
  if (script !== undefined) return;
  // It knows the class only where that is said first.
  const [first, mainClass] = host.argv;
  const fields = first === "--class" && mainClass !== undefined ? { mainClass } : {};
  if ((await tellSqlShellUsage(host, { fields, reason: "error" })) === undefined) await writeUsage();
}

/**
 * Lets the Spark of SPARK_HOME tell how its SQL shell is used, which has options of its own: gives the exit code, `undefined` where
 * something else is asked for.
 */
export async function tellSqlShellUsage(
  host: Host,
  { fields: { mainClass }, reason }: Pick<UsageInvocation, "fields" | "reason">,
): Promise<number | undefined> {
  const isHere = (host.env["SPARK_HOME"] ?? "") !== "";
  if (!isHere || mainClass !== specialClasses.sqlShell || reason === "nothing") return undefined;
  const { startUsage } = await import("../masters/jvm/start-usage.ts");
  const word = reason === "help" ? "--help" : "--usage-error";
  return startUsage(await withLauncherScripts(host), { mainClass, word });
}
