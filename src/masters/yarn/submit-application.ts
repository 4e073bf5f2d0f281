import { yarnPreserveStagingFiles } from "../../conf/entries/yarn.ts";
import { traitsOf } from "../../conf/spark-version.ts";
import { issuesOf } from "../../errors/issue.ts";
import { hasCode, messageOf, orThrow, submitError, throwIssues } from "../../errors/submit-error.ts";
import type { HadoopUser } from "../../hadoop/hadoop-call.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import type { HttpConnections } from "../../net/http-connections.ts";
import type { ApplicationRequest } from "../../plan/submit-request.ts";
import type { HadoopCredentials } from "../../values/delegation-token.ts";
import { type ContainerTokens, obtainContainerTokens } from "./container-tokens.ts";
import { distribute, uploadConfArchive } from "./distribute.ts";
import { type FileSystems, openFileSystems, stagingPath } from "./file-systems.ts";
import { findSparkJars } from "./find-spark-jars.ts";
import type { AppReport } from "./plan/app-report.ts";
import { confArchiveFiles, type LocalResource } from "./plan/conf-archive.ts";
import { type Distribution, planDistribution } from "./plan/distributed-files.ts";
import { launchCommand, launchEnvironment } from "./plan/launch-context.ts";
import { submissionBody } from "./plan/submission-body.ts";
import { type YarnFacts, yarnNames } from "./plan/yarn-facts.ts";
import { planDriverSize, sizeIssues } from "./plan/yarn-memory.ts";
import type { LocalYarnFacts } from "./read-yarn-facts.ts";
import type { ResourceManager } from "./resource-manager.ts";
import { storedZip, zipEntryOf } from "./stored-zip.ts";
import { fetchReportWithRetries } from "./wait-for-application.ts";

export interface YarnCall {
  readonly host: Host;
  readonly log: Log;
  readonly request: ApplicationRequest;
  readonly facts: LocalYarnFacts;
  readonly user: HadoopUser;
  /** Addresses of the ResourceManagers. */
  readonly servers: readonly string[];
  readonly resourceManager: ResourceManager;
  /** Client without the signal, for the cleanup after an interruption. */
  readonly cleanupManager: ResourceManager;
  readonly connections: HttpConnections;
  readonly signal: AbortSignal;
}

/** An application that YARN has accepted. */
export interface SubmittedApplication {
  readonly appId: string;
  /** State at the end of the submission. */
  readonly report: AppReport;
  /** Removes the staging directory unless it must be kept. */
  readonly removeStaging: () => Promise<void>;
}

/**
 * Submits an application: requests its ID, uploads its files, and starts its driver. After a failure, removes all of it.
 *
 * Source: Spark yarn.Client.submitApplication; recorded with Spark 4.3.0.
 *
 * @throws SUBMIT_ERR_YARN_…, SUBMIT_ERR_HADOOP_…; the reason of `signal`
 */
export async function submitApplication(call: YarnCall): Promise<SubmittedApplication> {
  const { host, log, request, facts, user, resourceManager, connections, signal } = call;
  const { conf } = request;
  const choice = { conf, hadoop: facts.hadoop, user, connections };
  const fileSystems = openFileSystems(host, { ...choice, signal });
  const allFacts: YarnFacts = { ...facts, sparkJars: await findSparkJars(host, conf, fileSystems) };
  const planned = planDistribution(request, allFacts);
  throwIssues(issuesOf(planned));
  const { appId, maximumMiB } = await resourceManager.newApplication();
  checkSize(call, appId, maximumMiB);
  const directory = await stagingPath(choice, fileSystems, appId);
  const removeStaging = () => removeDirectory(call, openFileSystems(host, choice), directory);
  const staged = { call, facts: allFacts, distribution: orThrow(planned), appId, fileSystems, directory };
  let isSent = false;
  let tokens: ContainerTokens | undefined;
  try {
    tokens = await obtainContainerTokens(call, fileSystems.staging);
    const body = await stage({ ...staged, credentials: tokens.credentials });
    isSent = true;
    await resourceManager.submit(appId, body);
    const report = await waitUntilAccepted(call, appId, body);
    log("INFO", "YarnClientImpl", `Submitted application ${appId}`);
    return { appId, report, removeStaging };
  } catch (error) {
    // The application may run despite the error. Kill it, because its files are removed.
    if (isSent && !hasCode(error, "SUBMIT_ERR_YARN_SUBMIT")) await killUnconfirmed(call, appId);
    await removeStaging();
    await tokens?.cancel();
    throw error;
  }
}

/** Checks the memory sizes and logs Spark's lines before the upload. @throws the issues of `sizeIssues` */
function checkSize({ log, request, facts }: YarnCall, appId: string, maximumMiB: number): void {
  const logLine = (text: string) => log("INFO", "Client", text);
  if (traitsOf(request.conf.version.line).logsAssignedAppId) logLine(`Application ID is assigned: ${appId}`);
  const limit = `maximum memory capability of the cluster (${maximumMiB} MB per container)`;
  logLine(`Verifying our application has not requested more than the ${limit}`);
  const isPython = facts.pythonArchives.length > 0;
  throwIssues(sizeIssues(request.conf, { isPython, maximumMiB }));
  const { heapMiB, overheadMiB } = planDriverSize(request.conf);
  logLine(`Will allocate AM container, with ${heapMiB + overheadMiB} MB memory including ${overheadMiB} MB overhead`);
  logLine("Setting up container launch context for our AM");
  logLine("Setting up the launch environment for our AM container");
  logLine("Preparing resources for our AM container");
}

interface Staged {
  readonly call: YarnCall;
  readonly facts: YarnFacts;
  readonly distribution: Distribution;
  readonly appId: string;
  readonly fileSystems: FileSystems;
  readonly directory: string;
  readonly credentials: HadoopCredentials;
}

/** Uploads all files. Returns the body of the submission. */
async function stage(staged: Staged): Promise<unknown> {
  const { call, facts, distribution, appId, fileSystems, directory, credentials } = staged;
  const { host, log, request } = call;
  const { staging } = fileSystems;
  await staging.makeDirectory(directory, "700");
  for (const { level, logger, text } of distribution.log) log(level, logger, text);
  const { sparkHome } = call.facts;
  const distributing = { host, log, conf: request.conf, fileSystems, directory, sparkHome };
  const resources = await distribute(distributing, distribution.files);
  const application = { request, facts, appId, stagingDirectory: `${staging.uri}${directory}` };
  const { env, conf } = launchEnvironment({ ...application, conf: distribution.conf });
  const path = `${directory}/${yarnNames.confArchive}`;
  const archive = confArchiveFiles({ conf, facts, resources, url: `${staging.uri}${path}` });
  const content = await storedZip(archive.map(({ name, bytes }) => zipEntryOf(name, bytes)));
  const uploaded = await uploadConfArchive(distributing, { path, content });
  const confResource: LocalResource = {
    ...{ ...uploaded, link: yarnNames.conf, type: "ARCHIVE" },
    ...{ driverOnly: false, visibility: "PRIVATE" },
  };
  log("INFO", "Client", `Submitting application ${appId} to ResourceManager`);
  const size = planDriverSize(conf);
  const command = launchCommand({ ...application, conf }, size.heapMiB);
  const all = [...resources, confResource];
  return submissionBody({ appId, conf, facts, size, env, command, resources: all, credentials });
}

const acceptedPollMs = 200;

/**
 * Waits until the application is accepted: a ResourceManager may reject it after a successful response.
 *
 * Source: Hadoop YarnClientImpl.submitApplication.
 */
async function waitUntilAccepted(call: YarnCall, appId: string, body: unknown): Promise<AppReport> {
  const { host, resourceManager, signal } = call;
  while (true) {
    const report = await fetchReportWithRetries({ ...call, appId });
    signal.throwIfAborted();
    if (report?.state === "FAILED" || report?.state === "KILLED")
      throw submitError("SUBMIT_ERR_YARN_SUBMIT", { appId, reason: report.diagnostics });
    // After a failover, the ResourceManager may not know the application. Submitting again is safe: the ID is accepted once.
    if (report === undefined) await resourceManager.submit(appId, body);
    else if (!["NEW", "NEW_SAVING", "SUBMITTED"].includes(report.state)) return report;
    await host.clock.sleep(acceptedPollMs, { signal });
    signal.throwIfAborted();
  }
}

/** Kills an application that may have been submitted before an interruption or a lost connection. */
async function killUnconfirmed({ cleanupManager }: YarnCall, appId: string): Promise<void> {
  try {
    await cleanupManager.kill(appId);
  } catch {
    // It was not submitted, or no ResourceManager responds. Nothing more can be done.
  }
}

/** Removes the staging directory. A failure is only logged. Source: Spark yarn.Client.cleanupStagingDir. */
async function removeDirectory({ log, request }: YarnCall, { staging }: FileSystems, directory: string) {
  if (request.conf.get(yarnPreserveStagingFiles)) return;
  const shown = `${staging.uri}${directory}`;
  try {
    if (await staging.remove(directory)) log("INFO", "Client", `Deleted staging directory ${shown}`);
  } catch (error) {
    log("WARN", "Client", `Failed to cleanup staging dir ${shown}: ${messageOf(error)}`);
  }
}
