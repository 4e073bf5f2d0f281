import type { HttpConnections, HttpResponse } from "../net/http-connections.ts";
import { retryAfterMs } from "../net/permanent-error.ts";
import { printPlainUrl } from "../staging-client/server-url.ts";
import { LocalizeError, networkError } from "./localize-error.ts";

/** Credentials for a server. */
export interface ServerAccess {
  /** Value of the `Authorization` header. Not sent to another origin after a redirect. */
  readonly authorization?: string | undefined;
  readonly connections: HttpConnections;
  /** Connections to other origins after a redirect. */
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

const maxRedirects = 5;

/**
 * Sends a GET request, follows at most 5 redirects, and returns a response whose status is in `accepted`.
 *
 * @throws LocalizeError for any other outcome
 */
export async function get(request: GetRequest, accepted: readonly number[] = [200]): Promise<HttpResponse> {
  const { signal, shown, authorization } = request;
  let { url } = request;
  for (let count = 0; count <= maxRedirects; count += 1) {
    const isFirstServer = url.origin === request.url.origin;
    const authority = isFirstServer && authorization !== undefined ? { authorization } : basicOf(url);
    const connections = isFirstServer ? request.connections : request.otherConnections;
    const response = await connections
      .send({ method: "GET", url: withoutUser(url), headers: { ...request.headers, ...authority }, signal })
      .catch((error: unknown) => {
        throw networkError(error, shown);
      });
    if (accepted.includes(response.status)) return response;
    response.close();
    if (!isRedirect(response.status)) throw statusError(response, shown);
    url = redirectOf(response, url, shown);
  }
  throw new LocalizeError("network", `${shown}: more than ${maxRedirects} redirects`);
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function redirectOf({ status, headers }: HttpResponse, from: URL, shown: string): URL {
  const location = headers.location;
  if (location === undefined || !URL.canParse(location, from.href))
    throw new LocalizeError("network", `${shown}: the server responded with ${status} and no valid Location`);
  const to = new URL(location, from);
  if (to.protocol !== "https:" && (to.protocol !== "http:" || from.protocol === "https:"))
    throw new LocalizeError(
      "network",
      `${shown}: the server redirects to ${printPlainUrl(to)}, which is less secure`,
    );
  return to;
}

/** Converts a response with an unexpected status to an error. */
function statusError({ status, headers }: HttpResponse, shown: string): LocalizeError {
  const message = `${shown}: the server responded with ${status}`;
  if (status === 401 || status === 403) return new LocalizeError("unauthorized", message);
  if (status === 404 || status === 410) return new LocalizeError("notFound", message);
  const isTransient = [408, 425, 429].includes(status) || status >= 500;
  return new LocalizeError("network", message, { isTransient, waitMs: retryAfterMs(headers["retry-after"]) });
}

function basicOf({ username, password }: URL): { authorization?: string } {
  if (username === "" && password === "") return {};
  const userAndPassword = `${decodeIfValid(username)}:${decodeIfValid(password)}`;
  return { authorization: `Basic ${Buffer.from(userAndPassword).toString("base64")}` };
}

function decodeIfValid(text: string): string {
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
