import type * as v from "valibot";
import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { type HttpConnections, type HttpResponse, readText } from "../net/http-connections.ts";
import { retryAfterMs } from "../net/retry-after.ts";
import { isFields } from "../values/fields.ts";
import { apiRoot } from "./protocol.ts";
import { retryUntilDeadline, TransientError } from "./retry.ts";
import { printPlainUrl, routeOf } from "./server-url.ts";
import { validate } from "./validate.ts";

/** Inputs of all calls to one staging server. */
export interface StagingCalls {
  readonly host: Host;
  readonly url: string;
  readonly connections: HttpConnections;
  /** Kubernetes token that authenticates the client. */
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface StagingCall {
  readonly method: string;
  /** Below the API's root: `/bundles`. */
  readonly route: string;
  /** Subject of the call, for messages: `the bundle`. */
  readonly what: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly json?: unknown;
  readonly body?: AsyncIterable<Uint8Array>;
  /** Statuses besides 2xx that do not fail the call. */
  readonly accepted?: readonly number[];
}

/** Returns the server's name for messages. */
export function shownServer({ url }: StagingCalls): string {
  return printPlainUrl(url);
}

/** Retries until the server responds. @throws SUBMIT_ERR_STAGING_REJECTED, SUBMIT_ERR_STAGING_UNREACHABLE */
export function call(calls: StagingCalls, request: StagingCall): Promise<HttpResponse> {
  const { host, signal, timeoutMs } = calls;
  return retryUntilDeadline(host, { server: shownServer(calls), signal, timeoutMs }, () => callOnce(calls, request));
}

/** Like `call`, and validates the JSON of the response. */
export async function callFor<T>(
  calls: StagingCalls,
  shape: v.GenericSchema<unknown, T>,
  request: StagingCall,
): Promise<T> {
  const { host, signal, timeoutMs } = calls;
  return retryUntilDeadline(host, { server: shownServer(calls), signal, timeoutMs }, async () => {
    const { value, problems } = validate(shape, parse(await readText(await callOnce(calls, request))));
    if (problems === undefined) return value;
    const message = `the response is invalid: ${problems.join("; ")}. Is it a staging server?`;
    throw rejection(calls, request, { status: 200, message });
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Makes one attempt. @throws a SubmitError for a permanent failure, another error for one that may pass */
export async function callOnce(calls: StagingCalls, request: StagingCall): Promise<HttpResponse> {
  const { connections, url, token, signal } = calls;
  const { method, route, json, body = json === undefined ? undefined : jsonBody(json) } = request;
  const response = await connections.send({
    method,
    url: routeOf(url, `${apiRoot}${route}`),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body instanceof Uint8Array ? { "content-type": "application/json", "content-length": body.length } : {}),
      ...request.headers,
    },
    ...(body === undefined ? {} : { body }),
    signal,
  });
  const { status } = response;
  if ((status >= 200 && status < 300) || request.accepted?.includes(status) === true) return response;
  throw await failureOf(calls, request, response);
}

function jsonBody(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

async function failureOf(calls: StagingCalls, request: StagingCall, response: HttpResponse): Promise<Error> {
  const { status, headers } = response;
  const { message, retryable } = await problemIn(response);
  if (retryable ?? (status === 408 || status === 425 || status === 429 || status >= 500))
    return new TransientError(`the server responded with ${status}: ${message}`, retryAfterMs(headers["retry-after"]));
  return rejection(calls, request, { status, message });
}

function rejection(
  calls: StagingCalls,
  { what }: StagingCall,
  { status, message }: { readonly status: number; readonly message: string },
): Error {
  return submitError("SUBMIT_ERR_STAGING_REJECTED", {
    ...{ server: shownServer(calls), by: "stagingServer", what, status, message },
  });
}

const problemLimitBytes = 64 * 1024;

async function problemIn(response: HttpResponse): Promise<{ message: string; retryable?: boolean }> {
  try {
    const value: unknown = JSON.parse(await readText(response, problemLimitBytes));
    const error = isFields(value) ? value["error"] : undefined;
    if (isFields(error) && typeof error["message"] === "string") {
      const { message, retryable } = error;
      return { message, ...(typeof retryable === "boolean" ? { retryable } : {}) };
    }
  } catch {
    // The response can come from a proxy, in another format.
  }
  return { message: "without a reason" };
}
