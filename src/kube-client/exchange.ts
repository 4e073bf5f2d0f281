import type { StopSignal } from "../errors/stop-signal.ts";
import { isSubmitError, type SubmitError, submitError } from "../errors/submit-error.ts";
import type { Clock } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import { type ApiCall, statusOf } from "../kube/status.ts";
import type { ApiRequest, ApiResponse, Transport } from "../kube/transport.ts";
import { noConnection } from "../net/proxy/proxy-failure.ts";
import { digits, isMadeOf, letters } from "../values/characters.ts";
import type { OpenSession } from "./http.ts";
import { isConnectionLost, isCutOff, isUnseen, mayHaveArrived, networkError, unseen } from "./network-error.ts";
import { rawTarget } from "./raw-target.ts";
import { type Failure, readRejection } from "./read-rejection.ts";
import type { RetryPolicy } from "./retry.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { timeLimit } from "./time-limit.ts";

/**
 * Time in which a write may still respond after the caller's signal. A write that is cut off may take effect later than a
 * rollback looks for its object.
 */
const writeGraceMs = 2_000;

/** One API, its time limits and retries. */
export interface Api {
  readonly transport: Transport;
  /** @default not supported */
  readonly openSession?: OpenSession | undefined;
  /** For messages, e.g. `https://10.0.0.1:6443`. */
  readonly server: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Time limit until a response is complete, or a stream starts; 0: no limit. */
  readonly requestTimeoutMs: number;
  /** Retry policy of requests. */
  readonly retry?: RetryPolicy;
  /** URLs contain unescaped names, as in Spark's client library, except in DELETE requests. @default false */
  readonly writesNamesRaw?: boolean;
}

/** One request, and fields for messages about it. */
export interface Exchange extends Omit<ApiCall, "server" | "path"> {
  /** With query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: StopSignal | undefined;
  /** The caller reads the body after the exchange; `signal` also aborts that. @default false */
  readonly isStream?: boolean;
}

/**
 * Sends a request and passes its response to `consume`. Retries statuses 429 and 500 or higher, and lost connections unless
 * the request is a POST or the policy differs. Does not retry a timeout.
 *
 * Source: Spark's Kubernetes client library, request retries; recorded with Spark 4.3.0.
 *
 * @throws SUBMIT_ERR_KUBE_…
 */
export async function exchange<T>(
  api: Api,
  requested: Exchange,
  consume: (response: ApiResponse) => Promise<T>,
): Promise<T> {
  rejectInvalidNames(requested);
  const isRaw = api.writesNamesRaw === true && requested.method !== "DELETE" && hasEscapedName(requested);
  const call = isRaw ? { ...requested, target: rawTarget(requested) } : requested;
  // A later attempt that reaches no server does not undo what an earlier one may have done.
  let uncertain: SubmitError | undefined;
  const isStopped = () => call.signal?.aborted === true;
  for (let attempt = 0; ; attempt += 1) {
    if (isStopped()) throw interrupted(uncertain);
    const outcome = await tryOnce(api, call, consume);
    if (outcome.kind === "response") return outcome.value;
    const { error } = outcome;
    if (isStopped()) throw interrupted(isUnseen(error.cause) ? uncertain : error);
    if (mayHaveArrived(error)) uncertain = error;
    const hasResponse = statusOf(error) !== undefined;
    const failed = { attempt, hasResponse, retryAfterMs: outcome.retryAfterMs };
    const delayMs = outcome.retry ? retryDelayMs(api.retry ?? {}, failed) : undefined;
    if (delayMs === undefined) throw hasResponse ? error : (uncertain ?? error);
    const end = /[.?]$/.test(error.message) ? "" : ".";
    api.log("WARN", "KubernetesClient", `${error.message}${end} Trying again.`);
    await api.clock.sleep(delayMs, call.signal === undefined ? {} : { signal: call.signal });
  }
}

/** Builds the error for the caller's signal. The cause is the failure of a request that may have taken effect. */
function interrupted(cause: SubmitError | undefined): SubmitError {
  return submitError("SUBMIT_ERR_INTERRUPTED", {}, { cause });
}

type Outcome<T> = { readonly kind: "response"; readonly value: T } | ({ readonly kind: "failure" } & Failure);

async function tryOnce<T>(
  api: Api,
  call: Exchange,
  consume: (response: ApiResponse) => Promise<T>,
): Promise<Outcome<T>> {
  const [path = ""] = call.target.split("?");
  const { method } = call;
  const graceMs = call.body === undefined ? 0 : writeGraceMs;
  const limit = timeLimit(api.clock, { ms: api.requestTimeoutMs, caller: call.signal, graceMs });
  try {
    const response = await api.transport(toRequest(call, limit.signal));
    if (response.status < 300) return { kind: "response", value: await consume(response) };
    return { kind: "failure", ...(await readRejection(api, { ...call, path }, response)) };
  } catch (error) {
    if (limit.isExceeded() && !isUnseen(error)) {
      const fields = { method, path, server: new URL(api.server).host, limitMs: api.requestTimeoutMs };
      return { kind: "failure", retry: false, error: submitError("SUBMIT_ERR_KUBE_TIMEOUT", fields) };
    }
    const failed = limit.isExceeded() ? unseen(noConnection(api.requestTimeoutMs)) : error;
    if (isSubmitError(failed)) return { kind: "failure", error: failed, retry: false };
    const repeats = api.retry?.repeatsCutOff;
    const retry = isConnectionLost(failed, method, repeats);
    const what =
      repeats === "never" && isCutOff(failed) && !isUnseen(failed) ? "Connection was closed." : failedOperation(call);
    return { kind: "failure", error: networkError(failed, api.server, what), retry };
  } finally {
    if (call.isStream === true) limit.cancel();
    else limit.release();
  }
}

/**
 * Rejects names that are invalid in a URI. Spark's client library does not escape them, and fails before it sends a request.
 *
 * Source: java.net.URI; recorded with Spark 4.3.0.
 */
function rejectInvalidNames({ type, namespace, name }: Exchange): void {
  if (namespace !== undefined && isInvalidName(namespace))
    throw submitError("SUBMIT_ERR_KUBE_NAMESPACE", { namespace });
  if (name !== undefined && isInvalidName(name)) throw submitError("SUBMIT_ERR_KUBE_NAME", { kind: type.kind, name });
}

/** Returns whether a URL escapes one of the names. */
function hasEscapedName({ namespace = "", name = "" }: Exchange): boolean {
  return [namespace, name].some((text) => encodeURIComponent(text) !== text);
}

const plainCharacters = `${letters}${digits}_.-`;

function isInvalidName(name: string): boolean {
  const isPlain = name !== "" && isMadeOf(name, plainCharacters);
  return !isPlain && !/^(?:[\w.~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})+$/.test(name);
}

/** Formats a failure as Spark's Kubernetes client library does. */
function failedOperation({ verb, type, subresource, name = "null", namespace = "null" }: Exchange) {
  if (subresource !== undefined || !["get", "list", "delete"].includes(verb)) return undefined;
  return `Operation: [${verb}]  for kind: [${type.kind}]  with name: [${name}]  in namespace: [${namespace}]  failed.`;
}

function toRequest({ method, target, headers = {}, body }: Exchange, signal: StopSignal): ApiRequest {
  return {
    method,
    path: target,
    headers: { accept: "application/json", "user-agent": "firesteel", ...headers },
    ...(body === undefined ? {} : { body }),
    signal,
  };
}
