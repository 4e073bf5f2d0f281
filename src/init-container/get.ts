import { basicAuthorization } from "../net/basic-authorization.ts";
import { followRedirects, type RedirectPolicy } from "../net/follow-redirects.ts";
import { type HttpConnections, type HttpResponse, readText } from "../net/http-connections.ts";
import { retryAfterMs } from "../net/retry-after.ts";
import { printPlainUrl } from "../staging-client/server-url.ts";
import { percentDecoded } from "../values/percent-decoding.ts";
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
  const response = await followRedirects(request.url, redirects(shown), async (url) => {
    const isFirstServer = url.origin === request.url.origin;
    const authority = isFirstServer && authorization !== undefined ? { authorization } : basicOf(url);
    const connections = isFirstServer ? request.connections : request.otherConnections;
    const headers = { ...request.headers, ...authority };
    return connections.send({ method: "GET", url: withoutUser(url), headers, signal }).catch((error: unknown) => {
      throw networkError(error, shown);
    });
  });
  if (accepted.includes(response.status)) return response;
  const isStandby = response.status === 403 && standby.test(await readText(response, maxReasonBytes).catch(() => ""));
  response.close();
  if (isStandby) throw new LocalizeError("network", `${shown}: the server is not active`, { isTransient: true });
  throw statusError(response, shown);
}

/** Exceptions of an HDFS NameNode that is not active, or not yet. Source: Hadoop WebHDFS, error responses. */
const standby = /"(Standby|Retriable)Exception"/;
const maxReasonBytes = 64 * 1024;

function redirects(shown: string): RedirectPolicy {
  return {
    maxRedirects,
    reject: ({ kind, to }) =>
      new LocalizeError(
        "network",
        kind === "tooMany"
          ? `${shown}: more than ${maxRedirects} redirects`
          : `${shown}: the server redirects to ${printPlainUrl(to)}, which is less secure`,
      ),
  };
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
  return { authorization: basicAuthorization(percentDecoded(username), percentDecoded(password)) };
}

function withoutUser(url: URL): URL {
  const plain = new URL(url);
  plain.username = "";
  plain.password = "";
  return plain;
}
