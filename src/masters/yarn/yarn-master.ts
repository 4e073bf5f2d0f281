import { yarnDistJars } from "../../conf/entries/app.ts";
import { firesteelKillOnInterrupt, firesteelRunTimeout, firesteelStartTimeout } from "../../conf/entries/firesteel.ts";
import { kerberosKeytab } from "../../conf/entries/hadoop.ts";
import * as yarn from "../../conf/entries/yarn.ts";
import { yarnWaitAppCompletion } from "../../conf/entries/yarn.ts";
import type { ConfEntry } from "../../conf/entry.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { type Issue, issue, issuesOf } from "../../errors/issue.ts";
import { abortSignalOf } from "../../errors/stop-signal.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import { resourceManagersOf } from "../../hadoop/resource-managers.ts";
import { isSecure } from "../../hadoop/security.ts";
import type { Host } from "../../host/host.ts";
import { showProgress } from "../../host/progress.ts";
import { type HttpConnections, httpConnections } from "../../net/http-connections.ts";
import { exitCodes } from "../../plan/exit-codes.ts";
import { unknownFiresteelSettingIssues } from "../../plan/ignored-settings.ts";
import type { ApplicationRequest } from "../../plan/submit-request.ts";
import { hasRPackages } from "../../resolve/jar-manifest.ts";
import { prepareApplication } from "../../resolve/prepare-application.ts";
import { printFrontEndOutput } from "../../resolve/print-front-end-output.ts";
import { rejectIfAny } from "../../resolve/reject.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import type { HadoopConf } from "../../values/hadoop-conf.ts";
import { type Interruption, interruption } from "../interruption.ts";
import type { MasterStrategy } from "../master-strategy.ts";
import { exitOutcome } from "../submit-outcome.ts";
import { openYarnAccess, type YarnAccess } from "./open-yarn-access.ts";
import { operateOnYarn } from "./operate-on-yarn.ts";
import type { AppOutcome } from "./plan/app-report.ts";
import { withLanguage } from "./plan/distributed-files.ts";
import { yarnSizeEntries } from "./plan/yarn-memory.ts";
import { printYarnClient } from "./print-started.ts";
import { readYarnFacts, unsupportedIssues } from "./read-yarn-facts.ts";
import { openResourceManager } from "./resource-manager.ts";
import { type SubmittedApplication, submitApplication, type YarnCall } from "./submit-application.ts";
import { logReport, logState, waitForApplication } from "./wait-for-application.ts";

/** Submits to a ResourceManager of YARN. */
export const yarnMaster: MasterStrategy = {
  submit: async (submission) =>
    exitOutcome(await withConnections(submission.host, (connections) => submitToYarn(submission, connections))),
  operate: (operation) => withConnections(operation.host, (connections) => operateOnYarn(operation, connections)),
};

async function withConnections<T>({ clock }: Host, use: (connections: HttpConnections) => Promise<T>): Promise<T> {
  const connections = httpConnections({ clock });
  try {
    return await use(connections);
  } finally {
    connections.close();
  }
}

/** Submits with the given connections. */
export async function submitToYarn(submission: ResolvedSubmission, connections: HttpConnections): Promise<number> {
  printFrontEndOutput(submission);
  const prepared = await prepare(submission);
  // Do not resolve packages for an invalid submission.
  const call = submission.fields.has("packages") ? await prepareWithPackages(submission, prepared) : prepared;
  if (submission.invocation.verbose) submission.host.stderr.write(printYarnClient(call.request));
  const interrupted = interruption(submission.host);
  let access: YarnAccess | undefined;
  try {
    access = await openYarnAccess(call.host, call.request, call.facts, connections);
    return await submitAndWait(open({ ...call, ...access, signal: abortSignalOf(interrupted.signal) }), interrupted);
  } finally {
    access?.close();
    interrupted.stop();
  }
}

/** Prepares a submission with the jars of its packages: drivers on YARN do not resolve packages themselves. */
async function prepareWithPackages(submission: ResolvedSubmission, prepared: Prepared): Promise<Prepared> {
  const [{ hasPackages, packageRequest, withPackageJars }, { provideStoredJars }] = await Promise.all([
    import("../package-jars.ts"),
    import("../../packages/stored-jars.ts"),
  ]);
  if (!hasPackages(submission)) return prepared;
  const { host } = submission;
  const jars = await provideStoredJars(host, packageRequest(submission), showProgress(host));
  return prepare(withPackageJars(submission, jars));
}

type Prepared = Pick<YarnCall, "host" | "log" | "request" | "facts" | "servers">;

/** Plans the submission. @throws SubmitError with all problems that can be found without the cluster */
async function prepare(submission: ResolvedSubmission): Promise<Prepared> {
  const { host, log, version, read } = submission;
  const target = { manager: "yarn", master: "yarn", settings: read.settings, version } as const;
  const { request, issues } = await prepareApplication(submission, target);
  const facts = readYarnFacts(host, request);
  const servers = facts.ok ? resourceManagersOf(facts.value.hadoop) : facts;
  const undistributed = request.appResource.kind === "r" ? await jarsWithR(request, host) : [];
  const found = [
    ...issues,
    ...unknownFiresteelSettingIssues(request.conf),
    ...request.conf.check(checkedEntries()),
    ...unsupportedIssues(request.conf),
    ...(facts.ok ? await kerberosIssues(host, request.conf, facts.value.hadoop) : []),
    ...undistributed.map((uri) => issue("SUBMIT_ERR_YARN_NOT_EXPRESSED", { what: uri, reason: rPackagesReason })),
    ...issuesOf(servers),
  ];
  rejectIfAny(found, request.behaviors);
  const known = orThrow(facts);
  const completeRequest = withLanguage(request, known.sparkR);
  return { host, log, request: completeRequest, facts: known, servers: orThrow(servers) };
}

/** Reports incomplete keytab settings, and tokens that only Java programs can obtain. */
async function kerberosIssues(host: Host, conf: SparkConf, hadoop: HadoopConf): Promise<readonly Issue[]> {
  const { incompleteKeytabIssues, unavailableTokenIssues } = await import("../../resolve/kerberos-issues.ts");
  const incomplete = incompleteKeytabIssues(conf);
  return conf.has(kerberosKeytab) || !isSecure(hadoop)
    ? incomplete
    : [...incomplete, ...unavailableTokenIssues(host, conf)];
}

const rPackagesReason = "it contains R packages, which Firesteel does not build";

async function jarsWithR({ conf }: ApplicationRequest, host: Host): Promise<readonly string[]> {
  const found: string[] = [];
  for (const uri of conf.get(yarnDistJars)) if (await hasRPackages(uri, host)) found.push(uri);
  return found;
}

function checkedEntries(): readonly ConfEntry<unknown>[] {
  const own = Object.values(yarn).flatMap((value) => ("parse" in value ? [value] : []));
  return [...yarnSizeEntries, firesteelKillOnInterrupt, firesteelRunTimeout, firesteelStartTimeout, ...own];
}

function open(call: Omit<YarnCall, "resourceManager" | "cleanupManager">): YarnCall {
  const { host, user, connections, signal, servers } = call;
  const choice = { servers, user, connections };
  return {
    ...call,
    resourceManager: openResourceManager(host, { ...choice, signal }),
    cleanupManager: openResourceManager(host, choice),
  };
}

async function submitAndWait(call: YarnCall, interrupted: Interruption): Promise<number> {
  const { log, request } = call;
  const { conf } = request;
  let submitted: SubmittedApplication | undefined;
  try {
    submitted = await submitApplication(call);
    if (!conf.get(yarnWaitAppCompletion)) {
      logState(log, submitted.report);
      logReport(log, conf, submitted.report);
      return exitCodes.ok;
    }
    const outcome = await waitForApplication({ ...call, conf, appId: submitted.appId });
    if (outcome.kind === "timedOut") return await terminate(call, submitted, outcome.key);
    await submitted.removeStaging();
    return end(call, submitted.appId, outcome);
  } catch (error) {
    const signal = interrupted.received();
    if (signal === undefined) throw error;
    if (submitted !== undefined) await leave(call, submitted.appId);
    else log("WARN", "Client", "Interrupted before the application was submitted; its files were removed.");
    return exitCodes[signal];
  }
}

/** Returns the driver's exit code if it is reported. @throws SUBMIT_ERR_YARN_APP_ENDED */
function end({ request, log }: YarnCall, appId: string, outcome: Exclude<AppOutcome, { kind: "timedOut" }>): number {
  if (outcome.kind === "succeeded") return exitCodes.ok;
  const error = submitError("SUBMIT_ERR_YARN_APP_ENDED", { appId, how: outcome.kind });
  if (request.behaviors.exitCode === "spark" || outcome.kind !== "failed" || outcome.exitCode === undefined)
    throw error;
  log("ERROR", "Client", `${error.message}. The driver's exit code: ${outcome.exitCode}`);
  return outcome.exitCode;
}

async function terminate(
  { log, resourceManager }: YarnCall,
  { appId, removeStaging }: SubmittedApplication,
  key: string,
): Promise<number> {
  await resourceManager.kill(appId);
  await removeStaging();
  log("ERROR", "Client", `Application ${appId} was killed: it exceeded ${key}.`);
  return exitCodes.timedOut;
}

/** Handles an interruption: the application continues unless the settings specify otherwise. Source: Spark yarn.Client. */
async function leave({ log, request, cleanupManager }: YarnCall, appId: string): Promise<void> {
  const { conf } = request;
  if (conf.has(firesteelKillOnInterrupt) && conf.get(firesteelKillOnInterrupt)) {
    await cleanupManager.kill(appId);
    log("WARN", "Client", `Interrupted: application ${appId} was killed.`);
  } else {
    const advice = `To kill it: spark-submit --master yarn --kill ${appId}`;
    log("WARN", "Client", `Interrupted: application ${appId} keeps running. ${advice}`);
  }
}
