import { type ParsedCommandLine, parseInvalidCommandLine } from "../../command-line/parse.ts";
import { behaviorsOf } from "../../conf/behaviors.ts";
import { newestLine } from "../../conf/spark-version.ts";
import { errorCodeEntry } from "../../errors/find-entry.ts";
import type { Issue } from "../../errors/issue.ts";
import { isSubmitError, withEarlierIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import type { SubmitInvocation, UsageInvocation } from "../../plan/invocation.ts";
import {
  localSpark,
  targetSparkVersion,
  type VersionSettings,
  withEmbedded,
  withLauncherEnvironment,
} from "../environment.ts";
import { exitCodeOf, exitCodeOfError, exitCodes } from "../exit-codes.ts";
import { printError } from "../print.ts";
import { checkAsLauncher, printLauncherError, printSqlShellUsage } from "../print-launcher-error.ts";
import { readCommandLine } from "../read-command-line.ts";
import { printVersion } from "../version.ts";

/**
 * Runs `spark-submit` and `firesteel submit` with the arguments in `host.argv`.
 *
 * @param openClient connects to the API; default: over the network
 * @param helpOutput output of a requested usage text; default: stderr, as for Spark
 * @returns the exit code
 */
export async function runSparkSubmit(
  host: Host,
  openClient?: OpenClient,
  helpOutput: Output = host.stderr,
): Promise<number> {
  try {
    const { invocation, issues } = await readCommandLine(host);
    return await perform(host, { invocation, issues, openClient, helpOutput });
  } catch (error) {
    await reportError(host, error);
    return exitCodeOfError(error);
  }
}

type Output = Host["stdout"];

interface Call extends ParsedCommandLine {
  readonly openClient: OpenClient | undefined;
  readonly helpOutput: Output;
}

async function perform(machine: Host, { invocation, issues, openClient, helpOutput }: Call): Promise<number> {
  const isExact = behaviorsOf(machine.env).unservedCommands === "spark" && invocation.action !== "submit";
  const host = isExact ? await withLauncherEnvironment(machine) : machine;
  if (isExact) await checkAsLauncher(host, invocation);
  switch (invocation.action) {
    case "usage":
      return printUsage(host, invocation, helpOutput);
    case "version":
      await writeVersion(host, invocation);
      return exitCodes.ok;
    case "submit":
      return withEarlierIssues(issues, async () =>
        runSubmission(await withLauncherEnvironment(host), { invocation, issues, openClient }),
      );
    case "kill":
    case "status": {
      const { runOperation } = await import("./operation.ts");
      return runOperation(await withLauncherEnvironment(host), invocation, { openClient });
    }
  }
}

async function printUsage(host: Host, invocation: UsageInvocation, helpOutput: Output): Promise<number> {
  const exitCode =
    behaviorsOf(host.env).unservedCommands === "spark" ? await printSqlShellUsage(host, invocation) : undefined;
  if (exitCode !== undefined) return exitCode;
  await writeUsage(host, invocation, invocation.reason === "help" ? helpOutput : host.stderr);
  return usageCodes[invocation.reason];
}

const usageCodes = { help: exitCodes.ok, error: exitCodes.failed, nothing: exitCodes.noArguments };

interface SubmissionCall {
  readonly invocation: SubmitInvocation;
  readonly issues: readonly Issue[];
  readonly openClient: OpenClient | undefined;
}

async function runSubmission(host: Host, { invocation, issues, openClient }: SubmissionCall): Promise<number> {
  const { submitInvocation } = await import("../../masters/submit-invocation.ts");
  return withEmbedded(host, async (openEmbedded, opened) => {
    const input = { invocation, issues, localSpark: await localSpark(host) };
    if (invocation.isCheckedFirst) {
      const { passesDoctor } = await import("../passes-doctor.ts");
      if (!(await passesDoctor({ host, input, openEmbedded, openClient }))) return exitCodes.failed;
    }
    const outcome = await submitInvocation({ ...input, host, openEmbedded, ...(openClient && { openClient }) });
    if (outcome.podName === undefined) return outcome.end.exitCode;
    const { end, behaviors } = outcome;
    if (end.kind !== "succeeded" && end.kind !== "notAwaited" && behaviors.errorText === "plain") {
      const { printOutcome } = await import("../print-outcome.ts");
      host.stderr.write(printOutcome(outcome, { clusterEnds: opened()?.location === "inside" }));
    }
    return exitCodeOf(outcome);
  });
}

async function reportError(host: Host, error: unknown): Promise<void> {
  if (behaviorsOf(host.env).errorText !== "spark") {
    host.stderr.write(printError(error, { form: "errorAndHint" }));
    return;
  }
  const issues = isSubmitError(error) ? error.issues : [];
  // Spark's launcher checks the command line first, and reports nothing else if it is wrong.
  const usageIssues = issues.filter(({ code }) => errorCodeEntry(code).kind === "usage");
  if (usageIssues.length === 0) {
    host.stderr.write(printError(error, { form: "sparkException", isProxied: isProxied(host.argv) }));
    return;
  }
  const settings = parseInvalidCommandLine(host.argv, newestLine).invocation;
  await printLauncherError(host, { issues: usageIssues, writeUsage: () => writeUsage(host, settings) });
}

function isProxied(argv: Host["argv"]): boolean {
  const { invocation, issues } = parseInvalidCommandLine(argv, newestLine);
  return issues.length === 0 && invocation.action === "submit" && invocation.fields.proxyUser !== undefined;
}

async function writeUsage(host: Host, settings: VersionSettings, output: Output = host.stderr): Promise<void> {
  const { usageText } = await import("../../command-line/usage.ts");
  const { line } = await targetSparkVersion(host, settings);
  output.write(usageText({ line, head: host.env["_SPARK_CMD_USAGE"] }));
}

async function writeVersion(host: Host, settings: VersionSettings): Promise<void> {
  host.stderr.write(printVersion(await targetSparkVersion(host, settings)));
}
