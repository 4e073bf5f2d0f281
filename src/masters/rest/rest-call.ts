import type { Behaviors } from "../../conf/behaviors.ts";
import { type Issue, issue } from "../../errors/issue.ts";
import type { StopSignal } from "../../errors/stop-signal.ts";
import { SubmitError, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import type { Exchange, Loss, RestReply, SendRequest } from "./rest-exchange.ts";
import type { RestGateway } from "./rest-gateway.ts";
import { parseRestResponse, type ResponseType, type RestResponse } from "./rest-response.ts";

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
  readonly lost: Set<string>;
}

/** A call to any of the masters. */
export interface RestCall {
  readonly method: "GET" | "POST";
  /** E.g. `create`, `status/driver-20260101000000-0000`. */
  readonly path: string;
  readonly body?: string;
  readonly expects: ResponseType;
  /** Returns whether a response is conclusive. If not, the next master is queried. */
  readonly isConclusive: (response: RestResponse) => boolean;
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
    if (result.kind === "lost")
      problems.push(...(await handleLostMaster(client, call, { gateway, loss: result.loss })));
    else if (result.kind === "malformed") problems.push(...result.issues);
    else {
      response = result.response;
      if (response.type === call.expects && call.isConclusive(response)) return { response, gateway, problems: [] };
      problems.push(...logInconclusive(client, call, { gateway, response }));
    }
  }
  return { response, gateway: undefined, problems };
}

type QueryResult =
  | { readonly kind: "answered"; readonly response: RestResponse }
  | { readonly kind: "malformed"; readonly issues: readonly [Issue, ...Issue[]] }
  | { readonly kind: "lost"; readonly loss: Loss };

async function query(client: RestClient, call: RestCall, gateway: RestGateway): Promise<QueryResult> {
  const exchanged = await sendTo(client, call, gateway);
  if (exchanged.kind === "lost") return exchanged;
  const { reply } = exchanged;
  const asSpark = client.behaviors.restResponses === "spark";
  if (!asSpark && reply.status === 404 && reply.text === "") {
    return { kind: "lost", loss: { why: "refused", reason: "there is nothing at this address (HTTP 404)" } };
  }
  const text = client.redact(reply.text);
  if (asSpark && reply.status >= 400) logErrorResponse(client, { ...reply, text });
  if (asSpark && reply.status > 200 && reply.status < 400)
    throw submitError("SUBMIT_ERR_REST_WAIT", {
      cause: "java.lang.NullPointerException",
      reason: `HTTP ${reply.status}`,
    });
  const parsed = parseRestResponse({ ...reply, text });
  if (parsed.ok) {
    // Spark logs the complete error text.
    const includesBody = asSpark && reply.status !== 200;
    if (asSpark && reply.status === 200 && parsed.value.type === "ErrorResponse")
      client.log("ERROR", "RestSubmissionClient", `Server responded with error:\n${parsed.value.message}`);
    return { kind: "answered", response: includesBody ? { ...parsed.value, message: text } : parsed.value };
  }
  const [first, ...rest] = parsed.issues;
  if (first === undefined) throw new Error("A result without a value has no issues.");
  if (asSpark) throw new SubmitError([first, ...rest]);
  return { kind: "malformed", issues: [{ ...first, message: `${gateway.name}: ${first.message}` }, ...rest] };
}

function logErrorResponse({ log }: RestClient, { status, contentType, text }: RestReply): void {
  if (status === 500 && !contentType.includes("application/json")) return;
  log("ERROR", "RestSubmissionClient", `Server responded with error:\nSome(${text})`);
}

async function sendTo(client: RestClient, call: RestCall, gateway: RestGateway): Promise<Exchange> {
  const { clock, behaviors, token, checksAddress } = client;
  const url = `${gateway.url}/${call.path}`;
  if (behaviors.restResponses === "spark" && checksAddress) refuseIllegalUrl(url);
  const { method, body, signal } = call;
  const request = { method, url, token, ...(body !== undefined && { body }) };
  return client.send(request, {
    clock,
    repeats: behaviors.restCreation === "spark" || call.isOnce !== true,
    signal,
  });
}

/** Rejects a URL that Java's URI class rejects. */
function refuseIllegalUrl(url: string): void {
  const index = url.search(/[\s"<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/);
  if (index >= 0) throw submitError("SUBMIT_ERR_REST_ADDRESS", { url, index });
}

interface Lost {
  readonly gateway: RestGateway;
  readonly loss: Loss;
}

/** Handles a master without a response. With Spark's exact behavior, the call ends when all masters are lost. Otherwise all problems are reported at the end. */
async function handleLostMaster(client: RestClient, call: RestCall, lost: Lost): Promise<readonly Issue[]> {
  const { gateway, loss } = lost;
  const { behaviors, log, gateways } = client;
  const found = lossIssue(lost);
  if (behaviors.restResponses === "explained") {
    const isSent = loss.why === "cut" || loss.why === "silent";
    if (call.isOnce === true && isSent && (await isGateway(client, gateway))) {
      throw submitError("SUBMIT_ERR_REST_UNCERTAIN", { master: gateway.name, reason: loss.reason });
    }
    return [found];
  }
  if (loss.why === "unresolved") {
    // Spark's client connects immediately if there is a body, and otherwise in the thread that reads the response.
    const cause = `java.net.UnknownHostException: ${new URL(gateway.url).hostname}`;
    throw call.body === undefined
      ? submitError("SUBMIT_ERR_REST_WAIT", { cause, reason: loss.reason })
      : new SubmitError([found]);
  }
  if (!client.lost.has(gateway.name)) {
    log("WARN", "RestSubmissionClient", `Unable to connect to server ${gateway.name}.`);
    client.lost.add(gateway.name);
  }
  if (client.lost.size >= gateways.length) throw new SubmitError([found]);
  return [];
}

function lossIssue({ gateway, loss }: Lost): Issue {
  const { why, reason } = loss;
  const master = gateway.name;
  if (why === "unresolved") return issue("SUBMIT_ERR_REST_HOST", { master, host: new URL(gateway.url).hostname });
  return why === "silent"
    ? issue("SUBMIT_ERR_REST_NO_RESPONSE", { master, reason })
    : issue("SUBMIT_ERR_REST_UNREACHABLE", { master, reason });
}

/**
 * Returns whether a server that closed the connection may have run the request: it is a gateway that responds to another request, or it
 * is not reachable any more.
 */
async function isGateway(client: RestClient, gateway: RestGateway): Promise<boolean> {
  const call: RestCall = {
    method: "GET",
    path: "readyz",
    expects: "ReadyzResponse",
    isConclusive: () => true,
  };
  const exchanged = await sendTo(client, call, gateway);
  return exchanged.kind === "answered" || exchanged.loss.why !== "cut";
}

function logInconclusive(
  { behaviors, log }: RestClient,
  { expects, isConclusive }: RestCall,
  { gateway, response }: { readonly gateway: RestGateway; readonly response: RestResponse },
): readonly Issue[] {
  const { type, status, message } = response;
  if (behaviors.restResponses === "explained") {
    const text = message ?? (type === expects ? "it says no more" : `an answer of the type ${type}`);
    return [issue("SUBMIT_ERR_REST_REJECTED", { master: gateway.name, status, message: withoutFrames(text) })];
  }
  const isExpected = type === expects && (expects !== "SubmissionStatusResponse" || isConclusive(response));
  if (!isExpected) {
    log("ERROR", "RestSubmissionClient", `Error: Server responded with message of unexpected type ${type}.`);
  }
  return [];
}

/** Removes the stack trace from a master's exception. */
function withoutFrames(text: string): string {
  return text.replaceAll(/\n\s+\S+\([^()\n]*\)(?=\n|$)/g, "");
}
