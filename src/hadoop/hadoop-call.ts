import { isSubmitError, submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { failureReason } from "../net/failure-reason.ts";
import { followRedirects, type RedirectPolicy } from "../net/follow-redirects.ts";
import { type HttpConnections, type HttpResponse, readText } from "../net/http-connections.ts";
import { isPermanent } from "../net/permanent-error.ts";
import { retry } from "../net/retry.ts";
import { isFields } from "../values/fields.ts";

/** User of the servers. */
export interface HadoopUser {
  readonly name: string;
  /** User that `name` acts for. */
  readonly proxied?: string | undefined;
  /** `simple` sends the name; with `kerberos`, the connections prove it. @default "simple" */
  readonly authentication?: "simple" | "kerberos";
}

/** Returns the name of the user for servers with simple authentication. Source: Hadoop UserGroupInformation. */
export function simpleUserName({ env, user }: Pick<Host, "env" | "user">): string {
  return env["HADOOP_USER_NAME"] || user.name;
}

/** Servers of which one is active: NameNodes of an HDFS, or ResourceManagers of a cluster. */
export interface HadoopServers {
  readonly host: Pick<Host, "clock" | "random">;
  readonly connections: HttpConnections;
  /** E.g. `http://namenode1:9870`. */
  readonly servers: readonly string[];
  readonly user: HadoopUser;
  /** Query parameter for the proxied user: `doas` for WebHDFS, `doAs` for YARN. */
  readonly proxyParameter: "doas" | "doAs";
  readonly signal?: AbortSignal | undefined;
  /** Time without a response after which a call fails, in ms. @default 30 000 */
  readonly timeoutMs?: number | undefined;
}

export interface HadoopCall {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Begins with a slash, escaped. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly json?: unknown;
  /** For messages: `write`. */
  readonly what: string;
  /** Of what, for messages: `/user/ann/.sparkStaging`. */
  readonly of: string;
  /** Statuses besides 2xx that are not errors. */
  readonly accepted?: readonly number[];
}

/** Error that a Hadoop server reports. */
export interface RemoteException {
  /** E.g. `AccessControlException`. */
  readonly exception: string;
  readonly message: string;
}

const defaultTimeoutMs = 30_000;
const maxDelayMs = 5_000;
const maxRedirects = 5;

/** Complete response of a server. */
export interface HadoopResponse extends Pick<HttpResponse, "status" | "headers"> {
  readonly text: string;
}

/** Calls one of several servers until the active one responds. Later calls start with that one. */
export type CallHadoop = (call: HadoopCall) => Promise<HadoopResponse>;

/**
 * Builds the function for all calls of one submission to one service.
 *
 * Rejects with SUBMIT_ERR_HADOOP_REJECTED, SUBMIT_ERR_HADOOP_UNREACHABLE, SUBMIT_ERR_HADOOP_SECURED; with the reason
 * of `signal`.
 */
export function hadoopCalls(servers: HadoopServers): CallHadoop {
  const { host, signal, timeoutMs = defaultTimeoutMs } = servers;
  let active = 0;
  return async (call) => {
    let failures = 0;
    const policy = {
      ...{ signal, deadlineMs: timeoutMs, maxDelayMs },
      isTransient: (error: unknown) => !isSubmitError(error) && !isPermanent(error) && !isUnknownHost(error),
      // A standby server rejects the call immediately. Wait only after all servers have been called.
      delayMs: () => (failures % servers.servers.length === 0 ? undefined : 0),
    };
    const attempt = async () => {
      const server = servers.servers[active % servers.servers.length] ?? "";
      try {
        return await callServer(servers, server, call);
      } catch (error) {
        if (!isSubmitError(error)) active += 1;
        failures += 1;
        throw error;
      }
    };
    try {
      return await retry(host, policy, attempt);
    } catch (error) {
      signal?.throwIfAborted();
      if (isSubmitError(error)) throw error;
      const fields = { ...namesIn(servers, call), ...failureReason(error) };
      throw submitError("SUBMIT_ERR_HADOOP_UNREACHABLE", fields, { cause: error });
    }
  };
}

function namesIn({ servers }: HadoopServers, { what, of }: HadoopCall) {
  return { servers: servers.join(", "), what, of };
}

function isUnknownHost(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOTFOUND";
}

/** Failure of a server that another server, or the same later, may not have. */
class TransientError extends Error {}

async function callServer(servers: HadoopServers, server: string, call: HadoopCall): Promise<HadoopResponse> {
  const response = await followRedirects(urlOf(server, servers, call), redirects, async (url) => {
    const received = await sendTo(url, servers, call);
    return { ...received, isFinal: isFinalResponse(received, server, call) };
  });
  if (!response.isFinal) throw new TransientError(`it responded with ${response.status} and no valid location`);
  return response;
}

const redirects: RedirectPolicy<HadoopResponse & { readonly isFinal: boolean }> = {
  maxRedirects,
  isAccepted: ({ isFinal }) => isFinal,
  reject: ({ kind }) =>
    new TransientError(
      kind === "tooMany"
        ? `it redirected more than ${maxRedirects} times`
        : "it redirects to an address without encryption",
    ),
};

/** Builds the URL of a call, with the user's identity. */
export function urlOf(
  server: string,
  { user, proxyParameter }: Pick<HadoopServers, "user" | "proxyParameter">,
  { path, query = {} }: Pick<HadoopCall, "path" | "query">,
): URL {
  const url = new URL(path, server);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  if (user.authentication !== "kerberos") url.searchParams.set("user.name", user.name);
  if (user.proxied !== undefined) url.searchParams.set(proxyParameter, user.proxied);
  return url;
}

async function sendTo(
  url: URL,
  { connections, signal }: HadoopServers,
  { method, json }: HadoopCall,
): Promise<HadoopResponse> {
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
  const response = await connections.send({
    method,
    url,
    headers: {
      accept: "application/json",
      // The protection against forged requests requires any value.
      "x-xsrf-header": "firesteel",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(method === "GET" ? {} : { "content-length": body?.length ?? 0 }),
    },
    ...(body === undefined ? {} : { body }),
    signal,
  });
  return { status: response.status, headers: response.headers, text: await readText(response) };
}

/** Returns false for a redirect. @throws SubmitError for a final rejection, any other for a transient failure */
function isFinalResponse(response: HadoopResponse, server: string, call: HadoopCall): boolean {
  const { status, headers } = response;
  const { what, of, accepted = [] } = call;
  // A ResourceManager without an active peer sends a page with a refresh header.
  if (headers["refresh"] !== undefined) throw new TransientError(`${server} knows no active server`);
  if ((status >= 200 && status < 300) || accepted.includes(status)) return true;
  if (status >= 300 && status < 400) return false;
  const challenge = String(headers["www-authenticate"] ?? "");
  const remote = remoteExceptionIn(response);
  if (status === 401 && (/negotiate/i.test(challenge) || remote === undefined))
    throw submitError("SUBMIT_ERR_HADOOP_SECURED", { server, challenge: challenge || "no challenge" });
  const { exception, message } = remote ?? unexplained(status);
  if (isTransient(status, exception)) throw new TransientError(`${server} responded with ${exception}: ${message}`);
  throw rejected({ server, what, of }, { exception, message });
}

/** Exception of a Hadoop server, as the cause of a SubmitError. */
export class HadoopException extends Error {
  /** E.g. `DSQuotaExceededException`. */
  readonly exception: string;

  constructor({ exception, message }: RemoteException) {
    super(message);
    this.name = "HadoopException";
    this.exception = exception;
  }
}

function rejected(origin: ResponseOrigin, remote: RemoteException): Error {
  const { exception, message } = remote;
  const fields = { ...origin, exception, message };
  return submitError("SUBMIT_ERR_HADOOP_REJECTED", fields, { cause: new HadoopException(remote) });
}

function unexplained(status: number): RemoteException {
  return { exception: `HTTP ${status}`, message: "it gave no reason" };
}

function isTransient(status: number, exception: string): boolean {
  return ["StandbyException", "RetriableException"].includes(exception) || isBusy(status);
}

/** Returns whether the same request may succeed later. */
export function isBusy(status: number): boolean {
  return status === 502 || status === 503 || status === 504 || status === 429;
}

const maxReasonBytes = 64 * 1024;
const maxMessageChars = 4096;

/** Parses the error in a response, if there is one. */
export function remoteExceptionIn({
  status,
  text,
}: Pick<HadoopResponse, "status" | "text">): RemoteException | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const remote = isFields(value) ? value["RemoteException"] : undefined;
    if (isFields(remote)) {
      const { exception, message } = remote;
      return { exception: String(exception).slice(0, 200), message: firstLine(String(message)) };
    }
  } catch {
    // A proxy between client and server may respond in its own format.
  }
  const title = /<title>([^<]*)<\/title>/i.exec(text.slice(0, maxReasonBytes))?.[1]?.trim() ?? "";
  return title === "" ? undefined : { exception: `HTTP ${status}`, message: title };
}

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").slice(0, maxMessageChars);
}

/** Source of a response and the attempted action, for messages. */
interface ResponseOrigin {
  readonly server: string;
  readonly what: string;
  readonly of: string;
}

/** Builds the error for a rejecting response, with its reason. */
export async function rejectionError(response: HttpResponse, origin: ResponseOrigin): Promise<Error> {
  const text = await readText(response, maxReasonBytes).catch(() => "");
  return rejected(origin, remoteExceptionIn({ status: response.status, text }) ?? unexplained(response.status));
}

/** Parses the JSON of a response. @throws SUBMIT_ERR_HADOOP_REJECTED when it is not JSON */
export function jsonOf({ text }: HadoopResponse, origin: ResponseOrigin): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = text === "" ? "the response is empty" : `the response is ${text.slice(0, 100)}`;
    throw submitError("SUBMIT_ERR_HADOOP_REJECTED", { ...origin, exception: "no JSON", message });
  }
}
