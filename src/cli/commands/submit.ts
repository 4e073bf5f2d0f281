import { dependsOnLine } from "../../command-line/options.ts";
import { parseCommandLine } from "../../command-line/parse.ts";
import { behaviorsOf } from "../../conf/behaviors.ts";
import { newestLine } from "../../conf/spark-version.ts";
import { errorCodeEntry } from "../../errors/find-entry.ts";
import type { Result } from "../../errors/issue.ts";
import { isSubmitError, orThrow } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { OpenClient } from "../../masters/kubernetes/connect-over-network.ts";
import type { Invocation, SubmitInvocation, UsageInvocation } from "../../plan/invocation.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-settings.ts";
import {
  type Given,
  localSpark,
  targetSparkVersion,
  withEmbedded,
  withLauncherEnvironment,
} from "../environment.ts";
import { exitCodeOf, exitCodeOfError, exitCodes } from "../exit-codes.ts";
import { printError, printIssues } from "../print.ts";
import { checkAsLauncher, printLauncherError, printSqlShellUsage } from "../print-launcher-error.ts";

/**
 * `spark-submit` and `firesteel submit`, with the words in `host.argv`: gives the exit code.
 *
 * @param openClient the way to the API; default: over the network
 */
export async function runSparkSubmit(host: Host, openClient?: OpenClient): Promise<number> {
  try {
    return await perform(host, orThrow(await readCommandLine(host)), openClient);
  } catch (error) {
    await reportError(host, error);
    return exitCodeOfError(error);
  }
}

/** The grammar depends on the line of Spark, and the line may be told on the command line: so it may be read twice. */
export async function readCommandLine(host: Host): Promise<Result<Invocation>> {
  const { exampleOptions } = behaviorsOf(host.env);
  const newest = parseCommandLine(host.argv, newestLine, { exampleOptions });
  if (!dependsOnLine(host.argv)) return newest;
  const { line } = await targetSparkVersion(host, givenIn(newest));
  return line === newestLine ? newest : parseCommandLine(host.argv, line, { exampleOptions });
}

async function perform(given: Host, invocation: Invocation, openClient?: OpenClient): Promise<number> {
  const isExact = behaviorsOf(given.env).unservedCommands === "spark" && invocation.action !== "submit";
  const host = isExact ? await withLauncherEnvironment(given) : given;
  if (isExact) await checkAsLauncher(host, invocation);
  switch (invocation.action) {
    case "usage":
      return printUsage(host, invocation);
    case "version":
      await writeVersion(host, invocation);
      return exitCodes.ok;
    case "submit":
      return runSubmission(await withLauncherEnvironment(host), invocation, openClient);
    case "kill":
    case "status": {
      const { runOperation } = await import("./operation.ts");
      return runOperation(await withLauncherEnvironment(host), invocation, { openClient });
    }
  }
}

async function printUsage(host: Host, invocation: UsageInvocation): Promise<number> {
  const toldBySpark =
    behaviorsOf(host.env).unservedCommands === "spark"
      ? await printSqlShellUsage(host, invocation)
      : undefined;
  if (toldBySpark !== undefined) return toldBySpark;
  await writeUsage(host, invocation);
  return usageCodes[invocation.reason];
}

const usageCodes = { help: exitCodes.ok, error: exitCodes.failed, nothing: exitCodes.noArguments };

async function runSubmission(
  host: Host,
  invocation: SubmitInvocation,
  openClient?: OpenClient,
): Promise<number> {
  const { submitAnywhere } = await import("../../masters/kubernetes/submit-anywhere.ts");
  return withEmbedded(host, async (openEmbedded, opened) => {
    const call = { host, invocation, localSpark: await localSpark(host), openEmbedded };
    const outcome = await submitAnywhere({ ...call, ...(openClient && { openClient }) }, submitElsewhere);
    if (typeof outcome === "number") return outcome;
    if (
      outcome.end.kind !== "succeeded" &&
      outcome.end.kind !== "notAwaited" &&
      outcome.behaviors.errorText === "plain"
    ) {
      const { printOutcome } = await import("../print-outcome.ts");
      host.stderr.write(printOutcome(outcome, { clusterEnds: opened()?.place === "inside" }));
    }
    return exitCodeOf(outcome);
  });
}

/** Gives the exit code. */
async function submitElsewhere(submission: ResolvedSubmission): Promise<number> {
  const { strategyOf } = await import("../../masters/strategies.ts");
  const { master, behaviors, host } = submission;
  // Exactly Spark's behaviour is that of the Spark that is here.
  const isHanded =
    behaviors.unservedCommands === "spark" &&
    master.place === "yarn" &&
    (host.env["SPARK_HOME"] ?? "") !== "";
  const { submit } = await strategyOf(isHanded ? "jvm" : master.place);
  return submit(submission);
}

async function reportError(host: Host, error: unknown): Promise<void> {
  const strict = behaviorsOf(host.env).errorText === "spark";
  const issues = isSubmitError(error) ? error.issues : [];
  if (issues.some(({ code }) => errorCodeEntry(code).kind === "usage")) {
    // A screenful of usage would push the problem out of sight.
    if (!strict) host.stderr.write(printIssues(issues, { form: "plain", strict }));
    else {
      // Spark's launcher is the first to look, and looks at nothing else.
      const told = issues.filter(({ code }) => errorCodeEntry(code).kind === "usage");
      const given = givenIn(parseCommandLine(host.argv, newestLine));
      await printLauncherError(host, { issues: told, writeUsage: () => writeUsage(host, given) });
    }
    return;
  }
  host.stderr.write(printError(error, { form: "spark", strict, isProxied: strict && isProxied(host.argv) }));
}

function isProxied(words: Host["argv"]): boolean {
  const invocation = parseCommandLine(words, newestLine);
  return (
    invocation.ok && invocation.value.action === "submit" && invocation.value.fields.proxyUser !== undefined
  );
}

async function writeUsage(host: Host, given: Given): Promise<void> {
  const { usageText } = await import("../../command-line/usage.ts");
  const { line } = await targetSparkVersion(host, given);
  host.stderr.write(usageText({ line, head: host.env["_SPARK_CMD_USAGE"] }));
}

async function writeVersion(host: Host, given: Given): Promise<void> {
  const { printVersion } = await import("../version.ts");
  host.stderr.write(printVersion(await targetSparkVersion(host, given)));
}

function givenIn(parsed: Result<Invocation>): Given {
  return parsed.ok ? parsed.value : { settings: [] };
}
