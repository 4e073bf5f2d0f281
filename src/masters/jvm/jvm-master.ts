import { specialResource } from "../../command-line/programs.ts";
import { toSubmitArgs } from "../../command-line/to-submit-args.ts";
import { behaviorsOf } from "../../conf/behaviors.ts";
import { SparkConf } from "../../conf/spark-conf.ts";
import { errorCodeEntry } from "../../errors/find-entry.ts";
import type { Issue } from "../../errors/issue.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import { execInPlace } from "../../host/exec-in-place.ts";
import { languageOf } from "../../plan/app-resource.ts";
import { exitCodes } from "../../plan/exit-codes.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import type { KubernetesMaster } from "../../plan/master.ts";
import { shuffleWarnings } from "../../plan/shuffle-allocation.ts";
import { specialClasses } from "../../plan/special-classes.ts";
import { isEmbedded } from "../../resolve/enter-embedded.ts";
import { printFrontEndOutput } from "../../resolve/print-front-end-output.ts";
import { rejectIfAny } from "../../resolve/reject.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import type { MasterStrategy, SubmitContext } from "../master-strategy.ts";
import { exitOutcome } from "../submit-outcome.ts";
import { usesConnectClient } from "./class-path.ts";
import { exampleOf } from "./examples.ts";
import { findJavaCommand, findLaunch } from "./find-launch.ts";
import { isSpecialClass } from "./is-special-class.ts";
import { submitCommand } from "./java-command.ts";
import { absentApplicationWarnings, clientModeWarnings, impliedClientModeWarning } from "./kubernetes-client-mode.ts";
import type { Launch } from "./launch.ts";
import { misspelledApplication } from "./misspelled-application.ts";
import { printDeveloperClasses, printLaunch } from "./print-launch.ts";
import { findReach } from "./reach-facts.ts";
import { pythonShell, rShell, type ShellCommand } from "./shell-command.ts";

/** Runs local drivers in the JVM of a local Spark, started as Spark's launcher scripts do. */
export const jvmMaster: MasterStrategy = {
  submit: async (submission, context) => exitOutcome(await runInJvm(submission, context)),
};

/**
 * Starts the driver in a JVM on this machine, and returns its exit code.
 *
 * @throws SubmitError
 */
export async function runInJvm(submission: ResolvedSubmission, { openEmbedded }: SubmitContext = {}): Promise<number> {
  const { behaviors, master, issues } = submission;
  const isOnEmbedded =
    behaviors.embeddedClientMode === "supported" && master.kubernetes !== undefined && isEmbedded(master.kubernetes);
  if (!isOnEmbedded || openEmbedded === undefined || issues.length > 0) return start(submission, "otherCluster");
  const { onEmbeddedCluster } = await import("./on-embedded-cluster.ts");
  return onEmbeddedCluster(submission, openEmbedded, (entered) => start(entered, "embeddedCluster"));
}

type Cluster = "embeddedCluster" | "otherCluster";

async function start(submission: ResolvedSubmission, cluster: Cluster): Promise<number> {
  const { host, issues, behaviors } = submission;
  // As Spark, only the issues that its launcher reports end the submission here.
  const reportedIssues =
    behaviors.issueReport === "spark" ? issues.filter(({ code }) => isOfLauncher(code, submission.invocation)) : issues;
  const launch = reportedIssues.length === 0 ? findLaunch(submission) : undefined;
  if (launch === undefined) return throwNotStarted(submission);
  if (behaviors.clientModeAdvice === "warn" && submission.master.kubernetes !== undefined)
    await adviseKubernetes(submission, submission.master.kubernetes, cluster);
  if (behaviors.unknownSettings === "warn") await warnOfNames(submission);
  const command = execCommand(launch);
  const env = { ...launch.host.env, ...command.env };
  if (submission.invocation.shell === undefined) printDeveloperClasses(launch);
  printLaunch(launch, command);
  const { code, error } = await execInPlace(host, { ...command, env });
  if (error === undefined) return code;
  if (behaviors.errorText === "plain")
    throw submitError("SUBMIT_ERR_PROGRAM_START", { command: command.command, reason: error });
  // Spark's script fails at its launcher's JVM first.
  if (submission.invocation.shell === undefined) {
    host.stderr.write(`${command.command}: No such file or directory\n`);
    return exitCodes.failed;
  }
  // Spark's launcher starts programs with env(1), which prints this message.
  host.stderr.write(`env: \u2018${command.command}\u2019: No such file or directory\n`);
  return code;
}

/**
 * Warns if executors in pods cannot reach the local driver, end because of their settings of shuffle data, or if the application is
 * missing on this machine.
 */
async function adviseKubernetes(
  { host, log, read, resource, version, fields, invocation }: ResolvedSubmission,
  { apiServer }: KubernetesMaster,
  cluster: Cluster,
): Promise<void> {
  const { env, files } = host;
  const isPod = (env["KUBERNETES_SERVICE_HOST"] ?? "") !== "";
  const setting = (key: string) => read.settings.get(key)?.value;
  const conf = new SparkConf([...read.settings.values()], version, { env, defaults: () => undefined });
  const reach = cluster === "embeddedCluster" ? undefined : await findReach(host, { setting, apiServer });
  const isShell = invocation.shell !== undefined || isSpecialClass(fields.get("mainClass")?.value);
  const isImplied = cluster === "embeddedCluster" && !isShell && fields.get("deployMode") === undefined;
  const warnings = [
    ...(isImplied ? [impliedClientModeWarning()] : []),
    ...absentApplicationWarnings(resource, files),
    ...shuffleWarnings(conf).map((text) => ({ level: "WARN", logger: "SparkConf", text }) as const),
    ...(reach === undefined ? [] : clientModeWarnings({ setting, env, version, isPod, reach })),
  ];
  for (const { level, logger, text } of warnings) log(level, logger, text);
}

/** Warns of a misspelled setting, application or class before the JVM, which takes seconds to report it, or ignores it. */
async function warnOfNames(submission: ResolvedSubmission): Promise<void> {
  const { host, log, resource, fields, invocation, read, version } = submission;
  const conf = new SparkConf([...read.settings.values()], version, { env: host.env, defaults: () => undefined });
  const { misspelledSettingLog } = await import("../../plan/ignored-settings.ts");
  for (const { level, logger, text } of misspelledSettingLog(conf)) log(level, logger, text);
  const misspelled = misspelledApplication(submission);
  if (misspelled !== undefined) log("WARN", "SparkSubmit", misspelled);
  const mainClass = fields.get("mainClass")?.value;
  if (mainClass === undefined || invocation.shell !== undefined) return;
  const { mainClassLog } = await import("../../resolve/main-class-log.ts");
  const appResource = { kind: languageOf(invocation.resource), uri: resource };
  for (const { level, logger, text } of mainClassLog(host, { appResource, mainClass })) log(level, logger, text);
}

/** Returns whether Spark's launcher reports an issue. For a shell it ignores JVM options, because the shell starts the JVM. */
function isOfLauncher(code: Issue["code"], { shell }: SubmitInvocation): boolean {
  const isOfJvm = code === "SUBMIT_ERR_HEAP_OPTION" || code === "SUBMIT_ERR_OPTION_STRING";
  return errorCodeEntry(code).kind === "usage" && !(isOfJvm && shell !== undefined);
}

function throwNotStarted(submission: ResolvedSubmission): never {
  const { issues, master, version, behaviors } = submission;
  printFrontEndOutput(submission);
  rejectIfAny(issues, behaviors);
  const what = `A local driver (${master.text} in ${master.mode} mode)`;
  throw submitError("SUBMIT_ERR_SPARK_NEEDED", { what, line: version.line });
}

/** Builds the command that replaces this process: a shell in Python or R, or a JVM. */
function execCommand(launch: Launch): ShellCommand {
  const { host, invocation } = launch;
  // Spark's scripts set this before they start a program.
  const fixed = { PYTHONHASHSEED: "0" };
  const java = findJavaCommand(host);
  const env = java.home === undefined ? fixed : { ...fixed, JAVA_HOME: java.home };
  if (invocation.shell !== undefined)
    return withEnv(orThrow(invocation.shell === "python" ? pythonShell(launch) : rShell(launch)), env);
  const example = invocation.isExample ? orThrow(exampleOf(launch, behaviorsOf(host.env))) : undefined;
  const shellInvocation = withShellClass(launch);
  // The class of a shell selects the shell, also for run-example.
  const implied = specialResource(shellInvocation.fields.mainClass ?? "", launch.line);
  const resource = implied ?? example?.resource ?? shellInvocation.resource;
  const args = toSubmitArgs({ ...shellInvocation, resource }, { jars: example?.jars ?? [] });
  return withEnv({ command: java.command, ...orThrow(submitCommand(launch, args)) }, env);
}

/** Replaces the class of the Scala shell for Spark Connect. */
function withShellClass(launch: Launch): SubmitInvocation {
  const { invocation, host } = launch;
  const isScalaShell = host.env["SPARK_SCALA_SHELL"] === "1" && launch.line !== "3.5";
  if (!isScalaShell || !usesConnectClient(launch)) return invocation;
  const { fields } = invocation;
  const isNamed = fields.mainClass !== undefined;
  return {
    ...invocation,
    fields: isNamed ? { ...fields, mainClass: specialClasses.connectShell } : fields,
    resource: "connect-shell",
  };
}

function withEnv(command: ShellCommand, env: Readonly<Record<string, string>>): ShellCommand {
  return { ...command, env: { ...env, ...command.env } };
}
