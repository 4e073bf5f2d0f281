import { standaloneWaitAppCompletion } from "../../conf/entries/standalone.ts";
import type { StopSignal } from "../../errors/stop-signal.ts";
import { hasCode, isSubmitError, orThrow, submitError, throwIssues } from "../../errors/submit-error.ts";
import { exitCodes } from "../../plan/exit-codes.ts";
import { ignoredSettingLog } from "../../plan/ignored-settings.ts";
import { printFrontEndOutput } from "../../resolve/print-front-end-output.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import { type Interruption, interruption } from "../interruption.ts";
import { waitEntries, waitOptions } from "../wait-options.ts";
import { awaitDriver } from "./await-driver.ts";
import { printCreateRequest } from "./create-request.ts";
import { hasEnded, hasSucceeded, logDriver } from "./driver-report.ts";
import { inconclusiveError } from "./inconclusive-error.ts";
import { standaloneGateway, submitToLegacyGateway, withoutGateway } from "./legacy-gateway.ts";
import { endExitCode, printDriverEnd } from "./print-driver-end.ts";
import { printMessage } from "./print-message.ts";
import { prepareForGateway, type RestApplication } from "./rest-application.ts";
import type { RestClient } from "./rest-call.ts";
import { restClient } from "./rest-client.ts";
import { type SendRequest, sendOverNetwork } from "./rest-exchange.ts";
import { likelyGateway } from "./rest-gateway.ts";
import { createDriver, fetchStatus, logger } from "./rest-operations.ts";
import type { RestResponse } from "./rest-response.ts";

/**
 * Submits to the gateway of a standalone master or the Mesos dispatcher. Returns the exit code. With Spark's exact behavior, it is 0 for
 * any response. Submissions for the legacy gateway use the JVM of a local Spark.
 *
 * Source: Spark RestSubmissionClient; recorded with Spark 3.5.9 to 4.3.0.
 *
 * @throws SubmitError
 */
export async function submitToGateway(
  submission: ResolvedSubmission,
  send: SendRequest = sendOverNetwork,
): Promise<number> {
  const { host, master, behaviors, log } = submission;
  const destination = standaloneGateway(submission);
  const byJvm = destination === "legacy" ? await submitToLegacyGateway(submission) : undefined;
  if (byJvm !== undefined) return byJvm;
  printFrontEndOutput(submission);
  // Spark prints this before it reads the application.
  if (destination === "rest" && submission.hasNoIssues)
    host.stderr.write("Running Spark using the REST application submission protocol.\n");
  const application = await prepareForGateway(submission);
  const { conf } = application.request;
  if (behaviors.settingChecks === "early") throwIssues(conf.check([standaloneWaitAppCompletion, ...waitEntries]));
  const call = { host, master: master.text, conf, behaviors, log, send };
  const client = orThrow(restClient(call));
  try {
    return behaviors.standaloneWait === "spark"
      ? await submitAsSpark(client, submission, application)
      : await submitAndWait(client, submission, application);
  } catch (error) {
    if (behaviors.restGateway !== "spark" || destination !== "rest" || !isConnectionLost(error)) throw error;
    const text = `Master endpoint ${master.text} was not a REST server. Falling back to legacy submission gateway instead.`;
    host.stderr.write(`Warning: ${text}\n`);
    const code = await submitToLegacyGateway(withoutGateway(submission));
    if (code === undefined) throw submitError("SUBMIT_ERR_LEGACY_GATEWAY", { master: master.text }, { cause: error });
    return code;
  }
}

function isConnectionLost(error: unknown): boolean {
  return hasCode(error, "SUBMIT_ERR_REST_UNREACHABLE") || hasCode(error, "SUBMIT_ERR_REST_NO_RESPONSE");
}

function bodyOf({ host, version }: ResolvedSubmission, { request, mainClass }: RestApplication): string {
  const { appResource, appArgs, conf } = request;
  const settings = conf.settings();
  return printCreateRequest({
    ...{ resource: appResource.uri, mainClass, appArgs, settings, env: host.env, version },
  });
}

async function submitAsSpark(
  client: RestClient,
  submission: ResolvedSubmission,
  application: RestApplication,
): Promise<number> {
  const { response, gateway } = await createDriver(client, bodyOf(submission, application));
  if (gateway !== undefined && response !== undefined) {
    await logCreated(client, response);
    client.log("INFO", logger, `Server responded with ${response.type}:\n${printResponse(response)}`);
  }
  return exitCodes.ok;
}

function printResponse({ type, message, serverSparkVersion, submissionId, success }: RestResponse): string {
  return printMessage({ action: type, message, serverSparkVersion, submissionId, success });
}

const polls = 10;
const intervalMs = 1000;

/** State of a new driver, or the reason why it is unknown. */
type InitialState = RestResponse | "unknown" | "unseen";

/** Reports the state of a new driver as soon as a master knows it. */
async function logCreated(
  client: RestClient,
  { submissionId }: RestResponse,
  signal?: StopSignal,
): Promise<InitialState> {
  const { log, clock, master } = client;
  if (submissionId === undefined) {
    log("ERROR", logger, "Application successfully submitted, but submission ID was not provided!");
    return "unknown";
  }
  let sight: InitialState = "unseen";
  log("INFO", logger, `Submission successfully created as ${submissionId}. Polling submission state...`);
  for (let poll = 1; poll <= polls && signal?.aborted !== true; poll += 1) {
    log("INFO", logger, `Submitting a request for the status of submission ${submissionId} in ${master}.`);
    const { response, gateway } = await fetchStatus(client, submissionId, signal);
    // Spark's client does not query again.
    if (client.behaviors.restResponses === "spark" && response?.type !== "SubmissionStatusResponse") return "unseen";
    if (gateway !== undefined && response !== undefined) {
      logDriver(log, submissionId, response);
      return response;
    }
    if (response !== undefined) sight = "unknown";
    await clock.sleep(intervalMs, signal === undefined ? {} : { signal });
  }
  const isReported = client.behaviors.restResponses === "spark" || sight === "unknown";
  if (isReported) log("ERROR", logger, `Error: Master ${master} did not recognize driver ${submissionId}.`);
  else if (signal?.aborted !== true)
    log("WARN", logger, `No master reports the state of driver ${submissionId} at the moment.`);
  return sight;
}

async function submitAndWait(
  client: RestClient,
  submission: ResolvedSubmission,
  application: RestApplication,
): Promise<number> {
  const { host } = submission;
  const interrupted = interruption(host);
  try {
    const { outcome, reached } = await createSomewhere(client, bodyOf(submission, application), interrupted);
    for (const { level, logger: from, text } of ignoredSettingLog(application.request.conf))
      client.log(level, from, text);
    const { response, gateway } = outcome;
    if (gateway === undefined || response === undefined) throw inconclusiveError(outcome);
    return await followDriver(reached, { submission, application, response, interrupted });
  } catch (error) {
    const signal = interrupted.received();
    if (signal === undefined || !isSubmitError(error)) throw error;
    host.stderr.write(`Interrupted.\n${error.issues.map(({ message }) => `Error: ${message}\n`).join("")}`);
    return exitCodes[signal];
  } finally {
    interrupted.stop();
  }
}

/** If only the wrong port of a master was specified, tries its gateway at the default port. */
async function createSomewhere(client: RestClient, body: string, { signal }: Interruption) {
  const outcome = await createDriver(client, body, signal);
  const gateways = client.gateways.flatMap((gateway) => likelyGateway(gateway) ?? []);
  const isNowhere = outcome.problems.every(({ code }) => code === "SUBMIT_ERR_REST_UNREACHABLE");
  if (outcome.gateway !== undefined || !isNowhere || gateways.length === 0 || signal.aborted) {
    return { outcome, reached: client };
  }
  const names = gateways.map(({ name }) => name).join(", ");
  client.log("WARN", logger, `There is no REST gateway at ${client.master}; asking ${names} instead.`);
  const reached = { ...client, gateways, master: names };
  const second = await createDriver(reached, body, signal);
  return { outcome: { ...second, problems: [...outcome.problems, ...second.problems] }, reached };
}

interface Followed {
  readonly submission: ResolvedSubmission;
  readonly application: RestApplication;
  /** Response to the creation. */
  readonly response: RestResponse;
  readonly interrupted: Interruption;
}

async function followDriver(
  client: RestClient,
  { submission, application, response, interrupted }: Followed,
): Promise<number> {
  const { host } = submission;
  const { conf } = application.request;
  const sight = await logCreated(client, response, interrupted.signal);
  const seen = typeof sight === "string" ? undefined : sight;
  const id = response.submissionId;
  const isBad = seen !== undefined && hasEnded(seen) && !hasSucceeded(seen);
  const isFollowed = conf.get(standaloneWaitAppCompletion) || isBad || interrupted.received() !== undefined;
  if (id === undefined || !isFollowed) return sight === "unknown" ? exitCodes.failed : exitCodes.ok;
  const { startTimeoutMs, runTimeoutMs, killOnInterrupt } = waitOptions(conf);
  const end = await awaitDriver({
    ...{ client, id, seen, interrupted, startTimeoutMs, runTimeoutMs, killOnInterrupt },
  });
  host.stderr.write(printDriverEnd(end, { id, master: client.master }));
  return endExitCode(end);
}
