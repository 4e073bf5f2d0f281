import { standaloneWaitAppCompletion } from "../../conf/entries/standalone.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import type { StopSignal } from "../../errors/stop-signal.ts";
import { hasCode, isSubmitError, orThrow, submitError, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { logLines } from "../../host/log.ts";
import { indentedLines } from "../../host/visible-text.ts";
import { exitCodes } from "../../plan/exit-codes.ts";
import { ignoredSettingLog } from "../../plan/ignored-settings.ts";
import { printFrontEndOutput } from "../../resolve/print-front-end-output.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import { type Interruption, interruption } from "../interruption.ts";
import { waitEntries, waitOptions } from "../wait-options.ts";
import { awaitDriver } from "./await-driver.ts";
import { printCreateRequest } from "./create-request.ts";
import { hasEnded, hasSucceeded, logDriver } from "./driver-report.ts";
import { standaloneGateway, submitToLegacyGateway, withoutGateway } from "./legacy-gateway.ts";
import { endExitCode, printDriverEnd } from "./print-driver-end.ts";
import { printMessage } from "./print-message.ts";
import { prepareForGateway } from "./rest-application.ts";
import { logger, type RestClient } from "./rest-call.ts";
import { restClient } from "./rest-client.ts";
import { type SendRequest, sendOverNetwork } from "./rest-exchange.ts";
import { likelyGateway } from "./rest-gateway.ts";
import { createDriver, fetchStatus, inconclusiveError } from "./rest-operations.ts";
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
  const client = orThrow(restClient({ host, master: master.text, conf, behaviors, log, send }));
  const body = printCreateRequest(submission, application);
  try {
    return behaviors.standaloneWait === "spark"
      ? await submitAsSpark(client, body)
      : await submitAndWait(client, body, { host, conf });
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

async function submitAsSpark(client: RestClient, body: string): Promise<number> {
  const { response, gateway } = await createDriver(client, body);
  if (gateway !== undefined && response !== undefined) {
    await logCreated(client, response);
    const { type, message, serverSparkVersion, submissionId, success } = response;
    const text = printMessage({ action: type, message, serverSparkVersion, submissionId, success });
    logLines(client.log, "INFO", logger, [`Server responded with ${type}:`, ...text.split("\n")]);
  }
  return exitCodes.ok;
}

const polls = 10;
const intervalMs = 1000;

/** State of a new driver. `unknown`: the masters do not know the driver; `unavailable`: no master reports its state. */
type InitialState = RestResponse | "unknown" | "unavailable";

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
  let state: InitialState = "unavailable";
  log("INFO", logger, `Submission successfully created as ${submissionId}. Polling submission state...`);
  for (let poll = 1; poll <= polls && signal?.aborted !== true; poll += 1) {
    log("INFO", logger, `Submitting a request for the status of submission ${submissionId} in ${master}.`);
    const { response, gateway } = await fetchStatus(client, submissionId, signal);
    // Spark's client does not query again.
    if (client.behaviors.restResponses === "spark" && response?.type !== "SubmissionStatusResponse")
      return "unavailable";
    if (gateway !== undefined && response !== undefined) {
      logDriver(log, submissionId, response);
      return response;
    }
    if (response !== undefined) state = "unknown";
    await clock.sleep(intervalMs, signal === undefined ? {} : { signal });
  }
  const isReported = client.behaviors.restResponses === "spark" || state === "unknown";
  if (isReported) log("ERROR", logger, `Error: Master ${master} did not recognize driver ${submissionId}.`);
  else if (signal?.aborted !== true)
    log("WARN", logger, `No master reports the state of driver ${submissionId} at the moment.`);
  return state;
}

interface SubmissionContext {
  readonly host: Host;
  readonly conf: SparkConf;
}

async function submitAndWait(client: RestClient, body: string, { host, conf }: SubmissionContext): Promise<number> {
  const interrupted = interruption(host);
  try {
    const { outcome, reached } = await createOrTryDefaultPort(client, body, interrupted);
    for (const { level, logger: from, text } of ignoredSettingLog(conf)) client.log(level, from, text);
    const { response, gateway } = outcome;
    if (gateway === undefined || response === undefined) throw inconclusiveError(outcome);
    return await followDriver(reached, response, { host, conf, interrupted });
  } catch (error) {
    const signal = interrupted.received();
    if (signal === undefined || !isSubmitError(error)) throw error;
    host.stderr.write(
      `Interrupted.\n${error.issues.map(({ message }) => `Error: ${indentedLines(message)}\n`).join("")}`,
    );
    return exitCodes[signal];
  } finally {
    interrupted.stop();
  }
}

/** If only the wrong port of a master was specified, tries its gateway at the default port. */
async function createOrTryDefaultPort(client: RestClient, body: string, { signal }: Interruption) {
  const outcome = await createDriver(client, body, signal);
  const gateways = client.gateways.flatMap((gateway) => likelyGateway(gateway) ?? []);
  const isUnreachable = outcome.problems.every(({ code }) => code === "SUBMIT_ERR_REST_UNREACHABLE");
  if (outcome.gateway !== undefined || !isUnreachable || gateways.length === 0 || signal.aborted)
    return { outcome, reached: client };
  const names = gateways.map(({ name }) => name).join(", ");
  client.log("WARN", logger, `There is no REST gateway at ${client.master}; trying ${names} instead.`);
  const reached = { ...client, gateways, master: names };
  const second = await createDriver(reached, body, signal);
  return { outcome: { ...second, problems: [...outcome.problems, ...second.problems] }, reached };
}

/** Waits for a created driver if the settings say so, it has failed, or the user has interrupted. Returns the exit code. */
async function followDriver(
  client: RestClient,
  created: RestResponse,
  { host, conf, interrupted }: SubmissionContext & { readonly interrupted: Interruption },
): Promise<number> {
  const state = await logCreated(client, created, interrupted.signal);
  const seen = typeof state === "string" ? undefined : state;
  const id = created.submissionId;
  const hasFailed = seen !== undefined && hasEnded(seen) && !hasSucceeded(seen);
  const isAwaited = conf.get(standaloneWaitAppCompletion) || hasFailed || interrupted.received() !== undefined;
  if (id === undefined || !isAwaited) return state === "unknown" ? exitCodes.failed : exitCodes.ok;
  const end = await awaitDriver({ client, id, seen, interrupted, ...waitOptions(conf) });
  host.stderr.write(printDriverEnd(end, { id, master: client.master }));
  return endExitCode(end);
}
