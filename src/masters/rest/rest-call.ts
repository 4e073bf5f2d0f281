import type { Behaviors } from "../../conf/behaviors.ts";
import { type Issue, issue, type Result } from "../../errors/issue.ts";
import type { StopSignal } from "../../errors/stop-signal.ts";
import { orThrow, SubmitError, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import { type Exchange, type ExchangeFailure, failed, type RestReply, type SendRequest } from "./rest-exchange.ts";
import type { RestGateway } from "./rest-gateway.ts";
import { parseRestResponse, type ResponseType, type RestResponse } from "./rest-response.ts";

/** Logger of Spark's client. */
export const logger = "RestSubmissionClient";

/** Masters to call, and the log. */
export interface RestClient {
  readonly clock: Host["clock"];
  readonly send: SendRequest;
  /** Master URL as specified, for messages. */
  readonly master: string;
  readonly gateways: readonly RestGateway[];
  readonly log: Log;
  readonly behaviors: Pick<Behaviors, "restCreation" | "restIds" | "restResponses">;
  /** Whether to reject addresses that Java's URI class rejects. */
  readonly checksAddress: boolean;
  /** Token for gateways behind an authentication filter. */
  readonly token: string | undefined;
  /** Redacts secrets that a gateway repeats. */
  readonly redact: (text: string) => string;
  /** Names of unreachable gateways, kept across calls as in Spark's client. */
  readonly unreachable: Set<string>;
}

/** A call to any of the masters. */
export interface RestCall {
  readonly method: "GET" | "POST";
  /** E.g. `create`, `status/driver-20260101000000-0000`. */
  readonly path: string;
  readonly body?: string;
  readonly expects: ResponseType;
  /** Returns whether a response is conclusive. If not, the next master is queried. @default whether it reports success */
  readonly isConclusive?: (response: RestResponse) => boolean;
  /** Whether the call is not idempotent. @default false */
  readonly isOnce?: boolean;
  readonly signal?: StopSignal | undefined;
}

/** Outcome of a call. */
export interface RestOutcome {
  /** Last response, conclusive or not. */
  readonly response: RestResponse | undefined;
  /** Master with the conclusive response. */
  readonly gateway: RestGateway | undefined;
  /** Problems of the other masters. Empty with Spark's responses, because the log has them. */
  readonly problems: readonly Issue[];
}

/** Call that checks whether a master accepts submissions. Any gateway responds to it. */
export const readinessCall: RestCall = { method: "GET", path: "readyz", expects: "ReadyzResponse" };

/**
 * Queries the masters in order until one sends a conclusive response.
 *
 * With Spark's exact behavior, a malformed response ends the call. Otherwise it does so only if no other master sends a better one.
 * Source: Spark RestSubmissionClient.
 *
 * @throws SUBMIT_ERR_REST_UNREACHABLE, SUBMIT_ERR_REST_NO_RESPONSE, SUBMIT_ERR_REST_HOST, SUBMIT_ERR_REST_MALFORMED,
 * SUBMIT_ERR_REST_RESPONSE_UNKNOWN as Spark; SUBMIT_ERR_REST_UNCERTAIN if it must not be sent again
 */
export async function queryMasters(client: RestClient, call: RestCall): Promise<RestOutcome> {
  let response: RestResponse | undefined;
  const problems: Issue[] = [];
  for (const gateway of client.gateways) {
    const result = await query(client, call, gateway);
    if (result.kind === "failed") problems.push(...(await handleFailure(client, call, gateway, result.failure)));
    else if (result.kind === "malformed") problems.push(...result.issues);
    else {
      response = result.response;
      if (response.type === call.expects && isConclusive(call, response)) return { response, gateway, problems: [] };
      problems.push(...logInconclusive(client, call, gateway, response));
    }
  }
  return { response, gateway: undefined, problems };
}

function isConclusive(call: RestCall, response: RestResponse): boolean {
  return call.isConclusive?.(response) ?? response.success;
}

type QueryResult =
  | { readonly kind: "response"; readonly response: RestResponse }
  | { readonly kind: "malformed"; readonly issues: readonly Issue[] }
  | { readonly kind: "failed"; readonly failure: ExchangeFailure };

async function query(client: RestClient, call: RestCall, gateway: RestGateway): Promise<QueryResult> {
  const exchanged = await sendTo(client, call, gateway);
  if (exchanged.kind === "failed") return exchanged;
  const { status, text: unredacted } = exchanged.reply;
  const reply = { ...exchanged.reply, text: client.redact(unredacted) };
  const parsed = parseRestResponse(reply);
  if (client.behaviors.restResponses === "spark") return { kind: "response", response: asSpark(client, reply, parsed) };
  if (status === 404 && unredacted === "") return failed("refused", "there is no gateway at this address (HTTP 404)");
  if (parsed.ok) return { kind: "response", response: parsed.value };
  const issues = parsed.issues.map((one, index) =>
    index === 0 ? { ...one, message: `${gateway.name}: ${one.message}` } : one,
  );
  return { kind: "malformed", issues };
}

/** Returns a response and logs it as Spark does. @throws SUBMIT_ERR_REST_WAIT for a redirect, and the issues of a malformed response */
function asSpark(client: RestClient, reply: RestReply, parsed: Result<RestResponse>): RestResponse {
  const { status, contentType, text } = reply;
  const log = (shown: string) => client.log("ERROR", logger, `Server responded with error:\n${shown}`);
  if (status >= 400 && (status !== 500 || contentType.includes("application/json"))) log(`Some(${text})`);
  if (status > 200 && status < 400)
    throw submitError("SUBMIT_ERR_REST_WAIT", {
      ...{ cause: "java.lang.NullPointerException", reason: `HTTP ${status}` },
    });
  const response = orThrow(parsed);
  // Spark logs the complete text of an error.
  if (status !== 200) return { ...response, message: text };
  if (response.type === "ErrorResponse") log(String(response.message));
  return response;
}

async function sendTo(client: RestClient, call: RestCall, gateway: RestGateway): Promise<Exchange> {
  const { clock, behaviors, token, checksAddress } = client;
  const url = `${gateway.url}/${call.path}`;
  if (behaviors.restResponses === "spark" && checksAddress) rejectInvalidUrl(url);
  const { method, body, signal } = call;
  const request = { method, url, token, ...(body !== undefined && { body }) };
  const repeats = behaviors.restCreation === "spark" || call.isOnce !== true;
  return client.send(request, { clock, repeats, signal });
}

/** Rejects a URL that Java's URI class rejects. */
function rejectInvalidUrl(url: string): void {
  const index = url.search(/[\s"<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/);
  if (index >= 0) throw submitError("SUBMIT_ERR_REST_ADDRESS", { url, index });
}

/**
 * Handles a master without a response. With Spark's exact behavior, the call ends when no master is reachable. Otherwise all
 * problems are reported at the end.
 */
async function handleFailure(
  client: RestClient,
  call: RestCall,
  gateway: RestGateway,
  failure: ExchangeFailure,
): Promise<readonly Issue[]> {
  const { behaviors, log, gateways, unreachable } = client;
  const { why, reason } = failure;
  const found = failureIssue(gateway, failure);
  if (behaviors.restResponses === "explained") {
    const isSent = why === "disconnected" || why === "timedOut";
    if (call.isOnce === true && isSent && (await isGateway(client, gateway)))
      throw submitError("SUBMIT_ERR_REST_UNCERTAIN", { master: gateway.name, reason });
    return [found];
  }
  if (why === "unresolved") {
    // Spark's client connects immediately if there is a body, and otherwise in the thread that reads the response.
    const cause = `java.net.UnknownHostException: ${new URL(gateway.url).hostname}`;
    throw call.body === undefined ? submitError("SUBMIT_ERR_REST_WAIT", { cause, reason }) : new SubmitError([found]);
  }
  if (!unreachable.has(gateway.name)) log("WARN", logger, `Unable to connect to server ${gateway.name}.`);
  unreachable.add(gateway.name);
  if (unreachable.size >= gateways.length) throw new SubmitError([found]);
  return [];
}

function failureIssue({ name: master, url }: RestGateway, { why, reason }: ExchangeFailure): Issue {
  if (why === "unresolved") return issue("SUBMIT_ERR_REST_HOST", { master, host: new URL(url).hostname });
  const code = why === "timedOut" ? "SUBMIT_ERR_REST_NO_RESPONSE" : "SUBMIT_ERR_REST_UNREACHABLE";
  return issue(code, { master, reason });
}

/**
 * Returns whether a server that closed the connection may have run the request: it is a gateway that responds to another request, or it
 * is not reachable any more.
 */
async function isGateway(client: RestClient, gateway: RestGateway): Promise<boolean> {
  const exchanged = await sendTo(client, readinessCall, gateway);
  return exchanged.kind === "response" || exchanged.failure.why !== "disconnected";
}

function logInconclusive(
  { behaviors, log }: RestClient,
  call: RestCall,
  { name: master }: RestGateway,
  response: RestResponse,
): readonly Issue[] {
  const { type, status, message } = response;
  const { expects } = call;
  if (behaviors.restResponses === "explained") {
    const text = message ?? (type === expects ? "no reason given" : `unexpected response of the type ${type}`);
    return [issue("SUBMIT_ERR_REST_REJECTED", { master, status, message: withoutStackTrace(text) })];
  }
  const isExpected = type === expects && (expects !== "SubmissionStatusResponse" || isConclusive(call, response));
  if (!isExpected) log("ERROR", logger, `Error: Server responded with message of unexpected type ${type}.`);
  return [];
}

/** Removes the stack trace from a master's exception. */
function withoutStackTrace(text: string): string {
  return text.replaceAll(/\n[\t ]+\S+\([^()\n]*\)(?=\n|$)/g, "");
}
