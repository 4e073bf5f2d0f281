import { issue } from "../../errors/issue.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import { sparkLog } from "../../host/log.ts";
import { indentedLines } from "../../host/visible-text.ts";
import { operationConf, type ResolvedOperation } from "../../resolve/resolve-operation.ts";
import type { OperationOutcome } from "../master-strategy.ts";
import { logDriver } from "./driver-report.ts";
import type { RestClient, RestOutcome } from "./rest-call.ts";
import { restClient } from "./rest-client.ts";
import { type SendRequest, sendOverNetwork } from "./rest-exchange.ts";
import { fetchStatus, inconclusiveError, killDriver } from "./rest-operations.ts";
import type { RestResponse } from "./rest-response.ts";

/**
 * Runs `--kill` or `--status` at a gateway.
 *
 * Source: Spark SparkSubmit.kill, requestStatus; recorded with Spark 3.5.9 to 4.3.0.
 *
 * @throws SubmitError
 */
export async function operateOnGateway(
  operation: ResolvedOperation,
  send: SendRequest = sendOverNetwork,
): Promise<OperationOutcome> {
  const { host, invocation, behaviors, master } = operation;
  if (!/^(spark|mesos):\/\//.test(master)) throw submitError("SUBMIT_ERR_NO_OPERATIONS", { master });
  const conf = operationConf(operation);
  // Spark's front end shows only warnings and errors here.
  const client = orThrow(restClient({ host, master, behaviors, conf, send, log: sparkLog(host, "WARN") }));
  const { submissionId } = invocation;
  if (behaviors.operationIds === "application" && (submissionId === "" || submissionId.includes("*")))
    throw submitError("SUBMIT_ERR_REST_SUBMISSION_ID_INVALID", { id: submissionId, master });
  if (invocation.action === "kill") return kill(operation, client, submissionId);
  const outcome = await fetchStatus(client, submissionId);
  if (behaviors.restResponses === "spark") return { isFound: true, behaviors };
  const { response, gateway } = outcome;
  const isFound = gateway !== undefined && response !== undefined;
  if (!isFound && !isUnknown(outcome)) throw inconclusiveError(outcome);
  if (invocation.json) host.stdout.write(printStatusJson(isFound ? [response] : []));
  else if (isFound) logDriver(sparkLog(host), submissionId, response);
  else host.stderr.write(unknownDriver(operation));
  return { isFound, behaviors };
}

async function kill(
  { host, behaviors, master }: ResolvedOperation,
  client: RestClient,
  id: string,
): Promise<OperationOutcome> {
  const outcome = await killDriver(client, id);
  const { response, gateway } = outcome;
  if (behaviors.restResponses === "explained" && gateway === undefined) throw inconclusiveError(outcome);
  const isKilled = response?.success === true;
  const message = response?.message ?? `${master} gives no reason`;
  host.stderr.write(isKilled ? `${id} is killed successfully.\n` : `Error: ${indentedLines(message)}\n`);
  return { isFound: isKilled, behaviors };
}

/** Returns whether the leading master does not know the driver. It then responds without a message. */
function isUnknown({ response }: RestOutcome): boolean {
  return response?.type === "SubmissionStatusResponse" && !response.success && response.message === undefined;
}

function unknownDriver({ invocation, master }: ResolvedOperation): string {
  const { message, hint } = issue("SUBMIT_ERR_REST_DRIVER_UNKNOWN", { id: invocation.submissionId, master });
  return `Error: ${indentedLines(message)}\nHint: ${hint}\n`;
}

/**
 * Prints a driver as JSON: a list `drivers` as for Kubernetes, which is empty if the driver is unknown.
 *
 * Shape of a driver: `{"submissionId", "state", "message", "workerId", "workerHostPort"}`; unknown values are null.
 */
function printStatusJson(responses: readonly RestResponse[]): string {
  const drivers = responses.map((response) => {
    const { submissionId = null, driverState: state = null, message = null } = response;
    const { workerId = null, workerHostPort = null } = response;
    return { submissionId, state, message, workerId, workerHostPort };
  });
  return `${JSON.stringify({ drivers }, undefined, 2)}\n`;
}
