import type { StopSignal } from "../errors/stop-signal.ts";
import { isSubmitError, SubmitError, submitError } from "../errors/submit-error.ts";
import type { Clock } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import { type ApiCall, parseStatus, rejectionIssue, statusOf } from "../kube/status.ts";
import type { ApiRequest, ApiResponse, Transport } from "../kube/transport.ts";
import { noConnection } from "../net/proxy/proxy-failure.ts";
import { digits, isMadeOf, letters } from "../values/characters.ts";
import type { OpenSession } from "./http.ts";
import { readText } from "./lines.ts";
import {
  isConnectionLost,
  isCutOff,
  isUnseen,
  mayHaveArrived,
  networkError,
  unseen,
} from "./network-error.ts";
import { rawTarget } from "./raw-target.ts";
import { type RetryPolicy, retryDelayMs } from "./retry.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { timeLimit } from "./time-limit.ts";

/** One API and how patient to be with it. */
export interface Api {
  readonly transport: Transport;
  /** @default impossible */
  readonly openSession?: OpenSession | undefined;
  /** For messages, e.g. `https://10.0.0.1:6443`. */
  readonly server: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Until the answer is complete, or a stream begins; 0: no limit. */
  readonly requestTimeoutMs: number;
  /** Retry policy of requests. */
  readonly retry?: RetryPolicy;
  /** Names stand in URLs as they are, as Spark's client library writes them; never where something is deleted. @default false */
  readonly writesNamesRaw?: boolean;
}

/** One request and what is said about it. */
export interface Exchange extends Omit<ApiCall, "server" | "path"> {
  /** With query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: StopSignal | undefined;
  /** The answer is read when the exchange is over; the signal ends that, too. @default false */
  readonly isStream?: boolean;
}

/**
 * Sends a request and gives its answer to `consume`. Statuses 429 and from 500 on are tried again, and so is a lost
 * connection unless the request was a POST, or as the policy says; a time-out is not. What `consume` leaves unread is a stream.
 *
 * Source: Spark's Kubernetes client library, request retries; recorded with Spark 4.3.0.
 *
 * @throws SUBMIT_ERR_KUBE_…
 */
export async function exchange<T>(
  api: Api,
  asked: Exchange,
  consume: (response: ApiResponse) => Promise<T>,
): Promise<T> {
  refuseUnfitNames(asked);
  const isRaw = api.writesNamesRaw === true && asked.method !== "DELETE" && hasOddName(asked);
  const call = isRaw ? { ...asked, target: rawTarget(asked) } : asked;
  // What one attempt may have done is not undone by a next one that reaches nobody.
  let doubtful: SubmitError | undefined;
  const isStopped = () => call.signal?.aborted === true;
  for (let attempt = 0; ; attempt += 1) {
    if (isStopped()) throw interrupted(doubtful);
    const outcome = await tryOnce(api, call, consume);
    if (outcome.kind === "answer") return outcome.value;
    const { error } = outcome;
    if (isStopped()) throw interrupted(isUnseen(error.cause) ? doubtful : error);
    if (mayHaveArrived(error)) doubtful = error;
    const hasResponse = statusOf(error) !== undefined;
    const failed = { attempt, hasResponse, retryAfterMs: outcome.retryAfterMs };
    const delayMs = outcome.retry ? retryDelayMs(api.retry ?? {}, failed) : undefined;
    if (delayMs === undefined) throw hasResponse ? error : (doubtful ?? error);
    const end = /[.?]$/.test(error.message) ? "" : ".";
    api.log("WARN", "KubernetesClient", `${error.message}${end} Trying again.`);
    await api.clock.sleep(delayMs, call.signal === undefined ? {} : { signal: call.signal });
  }
}

/** The end by the caller's signal; the cause is what may have arrived nevertheless. */
function interrupted(cause: SubmitError | undefined): SubmitError {
  return submitError("SUBMIT_ERR_INTERRUPTED", {}, { cause });
}

type Outcome<T> =
  | { readonly kind: "answer"; readonly value: T }
  | {
      readonly kind: "failure";
      readonly error: SubmitError;
      readonly retry: boolean;
      readonly retryAfterMs?: number | undefined;
    };

async function tryOnce<T>(
  api: Api,
  call: Exchange,
  consume: (response: ApiResponse) => Promise<T>,
): Promise<Outcome<T>> {
  const [path = ""] = call.target.split("?");
  const { method } = call;
  const limit = timeLimit(api.clock, api.requestTimeoutMs, call.signal);
  try {
    const response = await api.transport(toRequest(call, limit.signal));
    if (response.status < 300) return { kind: "answer", value: await consume(response) };
    const status = parseStatus(response.status, await readText(response.body));
    const refusal = rejectionIssue({ ...call, path, server: api.server }, response.status, status);
    return {
      kind: "failure",
      error: new SubmitError([refusal], { cause: status }),
      retry: response.status === 429 || response.status >= 500,
      retryAfterMs: parseRetryAfter(response.headers["retry-after"], api.clock.now()),
    };
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
      repeats === "never" && isCutOff(failed) && !isUnseen(failed)
        ? "Connection was closed."
        : failedOperation(call);
    return { kind: "failure", error: networkError(failed, api.server, what), retry };
  } finally {
    if (call.isStream === true) limit.cancel();
    else limit.release();
  }
}

/**
 * What no URI can hold, unescaped as Spark's client library writes it, is nobody's name: a server never sees it.
 *
 * Source: java.net.URI; recorded with Spark 4.3.0.
 */
function refuseUnfitNames({ type, namespace, name }: Exchange): void {
  if (namespace !== undefined && isUnfit(namespace))
    throw submitError("SUBMIT_ERR_KUBE_NAMESPACE", { namespace });
  if (name !== undefined && isUnfit(name))
    throw submitError("SUBMIT_ERR_KUBE_NAME", { kind: type.kind, name });
}

/** One that is written otherwise in a URL. */
function hasOddName({ namespace = "", name = "" }: Exchange): boolean {
  return [namespace, name].some((text) => encodeURIComponent(text) !== text);
}

const plainCharacters = `${letters}${digits}_.-`;

function isUnfit(name: string): boolean {
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
