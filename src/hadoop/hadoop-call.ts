import { isSubmitError, messageOf, submitError } from "../errors/submit-error.ts";
import { backoff } from "../host/backoff.ts";
import type { Host } from "../host/host.ts";
import { type HttpAnswer, type HttpConnections, readText } from "../host/http-exchange.ts";
import { isFields } from "../values/fields.ts";

/** Who calls, as servers with simple authentication believe it. */
export interface HadoopUser {
  readonly name: string;
  /** Whom `name` acts for. */
  readonly proxied?: string | undefined;
}

/** Servers of which one is active: NameNodes of an HDFS, or ResourceManagers of a cluster. */
export interface HadoopServers {
  readonly host: Pick<Host, "clock" | "random">;
  readonly connections: HttpConnections;
  /** E.g. `http://namenode1:9870`. */
  readonly servers: readonly string[];
  readonly user: HadoopUser;
  /** What the query calls who is acted for: `doas` of WebHDFS, `doAs` of YARN. */
  readonly proxyParameter: "doas" | "doAs";
  readonly signal?: AbortSignal | undefined;
  /** How long nobody may answer, in ms. @default 30 000 */
  readonly patienceMs?: number | undefined;
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
  /** Statuses besides 2xx that are answers. */
  readonly accepted?: readonly number[];
}

/** What a server of Hadoop says when it refuses. */
export interface RemoteException {
  /** E.g. `AccessControlException`. */
  readonly exception: string;
  readonly message: string;
}

const usualPatienceMs = 30_000;
const longestPauseMs = 5_000;
const mostRedirects = 5;

/** What a server answered, to its end. */
export interface HadoopAnswer extends Pick<HttpAnswer, "status" | "headers"> {
  readonly text: string;
}

/** Calls one of several servers until the active one has answered; goes on with that one. */
export type CallHadoop = (call: HadoopCall) => Promise<HadoopAnswer>;

/**
 * All calls of one submission to one service.
 *
 * Rejects with SUBMIT_ERR_HADOOP_REFUSED, SUBMIT_ERR_HADOOP_UNREACHABLE, SUBMIT_ERR_HADOOP_SECURED; with what `signal` was aborted with.
 */
export function hadoopCalls(servers: HadoopServers): CallHadoop {
  const { host, signal, patienceMs = usualPatienceMs } = servers;
  let active = 0;
  return async (call) => {
    const pause = backoff(host.clock, host.random, longestPauseMs);
    const since = host.clock.monotonic();
    let failures = 0;
    while (true) {
      const server = servers.servers[active % servers.servers.length] ?? "";
      try {
        return await callServer(servers, server, call);
      } catch (error) {
        signal?.throwIfAborted();
        if (isSubmitError(error)) throw error;
        active += 1;
        failures += 1;
        if (isFinal(error) || host.clock.monotonic() - since >= patienceMs)
          throw submitError(
            "SUBMIT_ERR_HADOOP_UNREACHABLE",
            { ...namesIn(servers, call), reason: messageOf(error) },
            { cause: error },
          );
        // Whoever is not active says so at once; only then all were asked.
        if (failures % servers.servers.length === 0) await pause.wait(signal);
        signal?.throwIfAborted();
      }
    }
  };
}

function namesIn({ servers }: HadoopServers, { what, of }: HadoopCall) {
  return { servers: servers.join(", "), what, of };
}

function isFinal(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /CERT|SELF_SIGNED|ISSUER|ALTNAME|ERR_TLS|EPROTO|ERR_SSL|ERR_INVALID|ENOTFOUND/.test(code);
}

/** A server that cannot help now; another may, or the same later. */
class PassingError extends Error {}

async function callServer(servers: HadoopServers, server: string, call: HadoopCall): Promise<HadoopAnswer> {
  let url = urlOf(server, servers, call);
  for (let redirects = 0; redirects < mostRedirects; redirects += 1) {
    const answer = await sendTo(url, servers, call);
    if (isAnswer(answer, server, call)) return answer;
    const { location } = answer.headers;
    if (location === undefined) throw new PassingError(`it answered ${answer.status} without a place to go`);
    const next = new URL(location, url);
    if (url.protocol === "https:" && next.protocol !== "https:")
      throw new PassingError("it sent us to an address without encryption");
    url = next;
  }
  throw new PassingError(`it sent us elsewhere ${mostRedirects} times`);
}

function urlOf(
  server: string,
  { user, proxyParameter }: HadoopServers,
  { path, query = {} }: HadoopCall,
): URL {
  const url = new URL(path, server);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  url.searchParams.set("user.name", user.name);
  if (user.proxied !== undefined) url.searchParams.set(proxyParameter, user.proxied);
  return url;
}

async function sendTo(
  url: URL,
  { connections, signal }: HadoopServers,
  { method, json }: HadoopCall,
): Promise<HadoopAnswer> {
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
  const answer = await connections.send({
    method,
    url,
    headers: {
      accept: "application/json",
      // Protection against forged requests asks for any value.
      "x-xsrf-header": "firesteel",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(method === "GET" ? {} : { "content-length": body?.length ?? 0 }),
    },
    ...(body === undefined ? {} : { body }),
    signal,
  });
  return { status: answer.status, headers: answer.headers, text: await readText(answer) };
}

/** False for a redirect. @throws SubmitError for what is meant so, any other for what may pass */
function isAnswer(answer: HadoopAnswer, server: string, call: HadoopCall): boolean {
  const { status, headers } = answer;
  const { what, of, accepted = [] } = call;
  // A ResourceManager that knows of no active one answers with a page that tells browsers to look again.
  if (headers["refresh"] !== undefined) throw new PassingError(`${server} knows no active server`);
  if ((status >= 200 && status < 300) || accepted.includes(status)) return true;
  if (status >= 300 && status < 400) return false;
  const challenge = String(headers["www-authenticate"] ?? "");
  const remote = remoteExceptionIn(answer);
  if (status === 401 && (/negotiate/i.test(challenge) || remote === undefined))
    throw submitError("SUBMIT_ERR_HADOOP_SECURED", { server, challenge: challenge || "no words" });
  const { exception, message } = remote ?? unexplained(status);
  if (isPassing(status, exception)) throw new PassingError(`${server} answered ${exception}: ${message}`);
  throw submitError("SUBMIT_ERR_HADOOP_REFUSED", { server, what, of, exception, message });
}

function unexplained(status: number): RemoteException {
  return { exception: `HTTP ${status}`, message: "it gave no reason" };
}

function isPassing(status: number, exception: string): boolean {
  return ["StandbyException", "RetriableException"].includes(exception) || isBusy(status);
}

/** Whether a server, or what is before it, may answer better to the same request later. */
export function isBusy(status: number): boolean {
  return status === 502 || status === 503 || status === 504 || status === 429;
}

const longestReason = 64 * 1024;

/** What a refusal says of itself, if it says anything. */
export function remoteExceptionIn({
  status,
  text,
}: Pick<HadoopAnswer, "status" | "text">): RemoteException | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const remote = isFields(value) ? value["RemoteException"] : undefined;
    if (isFields(remote)) {
      const { exception, message } = remote;
      return { exception: String(exception), message: firstLine(String(message)) };
    }
  } catch {
    // Something between us and the server may answer for it, in words of its own.
  }
  const title = /<title>\s*([^<]*?)\s*<\/title>/i.exec(text)?.[1] ?? "";
  return title === "" ? undefined : { exception: `HTTP ${status}`, message: title };
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}

/** Whom an answer is from, and what was wanted, for messages. */
export interface AnswerOrigin {
  readonly server: string;
  readonly what: string;
  readonly of: string;
}

/** What a server that answered with a status refused, and why. */
export async function refusalOf(answer: HttpAnswer, origin: AnswerOrigin): Promise<Error> {
  const text = await readText(answer, longestReason).catch(() => "");
  const { exception, message } =
    remoteExceptionIn({ status: answer.status, text }) ?? unexplained(answer.status);
  return submitError("SUBMIT_ERR_HADOOP_REFUSED", { ...origin, exception, message });
}

/** The JSON of an answer. @throws SUBMIT_ERR_HADOOP_REFUSED where it is none */
export function jsonOf({ text }: HadoopAnswer, origin: AnswerOrigin): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = text === "" ? "it answered nothing" : `it answered ${text.slice(0, 100)}`;
    throw submitError("SUBMIT_ERR_HADOOP_REFUSED", { ...origin, exception: "no JSON", message });
  }
}
