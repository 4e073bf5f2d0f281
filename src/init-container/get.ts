import type { HttpConnections, HttpResponse } from "../host/http-exchange.ts";
import { printPlainUrl } from "../staging-client/server-url.ts";
import { retryAfterMs } from "../staging-client/transient-error.ts";
import { LocalizeError, networkError } from "./localize-error.ts";

/** Credentials for a server. */
export interface ServerAccess {
  /** Sent to that server alone, not to where it redirects. */
  readonly authorization?: string | undefined;
  readonly connections: HttpConnections;
  /** To where it redirects. */
  readonly otherConnections: HttpConnections;
}

/** One GET request. */
export interface GetRequest extends ServerAccess {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Description for messages: the server and the resource, without secrets. */
  readonly shown: string;
}

const redirectLimit = 5;

/**
 * GETs, follows redirects, and gives an answer whose status is among `accepted`.
 *
 * @throws LocalizeError for all else
 */
export async function get(request: GetRequest, accepted: readonly number[] = [200]): Promise<HttpResponse> {
  const { signal, shown, authorization } = request;
  let { url } = request;
  for (let count = 0; count <= redirectLimit; count += 1) {
    const isFirstServer = url.origin === request.url.origin;
    const authority = isFirstServer && authorization !== undefined ? { authorization } : basicOf(url);
    const connections = isFirstServer ? request.connections : request.otherConnections;
    const answer = await connections
      .send({ method: "GET", url: withoutUser(url), headers: { ...request.headers, ...authority }, signal })
      .catch((error: unknown) => {
        throw networkError(error, shown);
      });
    if (accepted.includes(answer.status)) return answer;
    answer.close();
    if (!isRedirect(answer.status)) throw statusError(answer, shown);
    url = redirectOf(answer, url, shown);
  }
  throw new LocalizeError("network", `${shown}: more than ${redirectLimit} redirects`);
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function redirectOf({ status, headers }: HttpResponse, from: URL, shown: string): URL {
  const location = headers.location;
  if (location === undefined || !URL.canParse(location, from.href))
    throw new LocalizeError("network", `${shown}: it answered ${status} without a place to go to`);
  const to = new URL(location, from);
  if (to.protocol !== "https:" && (to.protocol !== "http:" || from.protocol === "https:"))
    throw new LocalizeError("network", `${shown}: it redirects to ${printPlainUrl(to)}, which is less safe`);
  return to;
}

/** Converts a response with an unexpected status to an error. */
function statusError({ status, headers }: HttpResponse, shown: string): LocalizeError {
  const output = `${shown}: it answered ${status}`;
  if (status === 401 || status === 403) return new LocalizeError("unauthorized", output);
  if (status === 404 || status === 410) return new LocalizeError("notFound", output);
  const isTransient = [408, 425, 429].includes(status) || status >= 500;
  return new LocalizeError("network", output, { isTransient, waitMs: retryAfterMs(headers["retry-after"]) });
}

function basicOf({ username, password }: URL): { authorization?: string } {
  if (username === "" && password === "") return {};
  const args = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(args).toString("base64")}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withoutUser(url: URL): URL {
  const plain = new URL(url);
  plain.username = "";
  plain.password = "";
  return plain;
}
