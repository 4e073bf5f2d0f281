import type { Host } from "../host/host.ts";
import { followRedirects, type RedirectPolicy } from "../net/follow-redirects.ts";
import type { FindProxy, HttpResponse } from "../net/http-connections.ts";

/** A request to a file server. */
interface FileRequest {
  readonly method: "GET" | "HEAD";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const maxRedirects = 5;
const maxConnections = 8;

/** Connections to file servers, a few for each, which stay open. */
export interface FileServers {
  /** Returns the response, whose body must be read or closed. Rejects after a minute without data. */
  readonly send: (request: FileRequest) => Promise<HttpResponse>;
  readonly close: () => void;
}

/** Opens connections to file servers. A redirect to another server does not forward credentials. */
export async function openFileServers({ clock }: Host, findProxy?: FindProxy): Promise<FileServers> {
  const { httpConnections } = await import("../net/http-connections.ts");
  const connections = httpConnections({ clock, findProxy, maxConnections });

  const send = ({ method, url: text, headers }: FileRequest): Promise<HttpResponse> => {
    const first = new URL(text);
    return followRedirects(first, redirects, async (url) => {
      if (!["http:", "https:"].includes(url.protocol)) throw new Error(`${url.protocol} is not supported`);
      const own = url.origin === first.origin ? headers : withoutCredentials(headers);
      return connections.send({ method, url, headers: own });
    });
  };
  return { send, close: connections.close };
}

const redirects: RedirectPolicy = {
  maxRedirects,
  reject: ({ kind, from, to }) =>
    new Error(
      kind === "tooMany"
        ? `it redirects more than ${maxRedirects} times`
        : `it redirects from ${from.protocol.slice(0, -1)} to ${to.protocol.slice(0, -1)}`,
    ),
};

function withoutCredentials(headers: FileRequest["headers"]): FileRequest["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== "authorization"));
}

const maxAttempts = 4;

/** Retries an attempt that failed as networks and busy servers do: after 0.8 s, 1.6 s and 3.2 s. */
export async function retryExchange<T>(host: Host, attempt: () => Promise<T>): Promise<T> {
  const [{ retry }, { isPermanent }] = await Promise.all([
    import("../net/retry.ts"),
    import("../net/permanent-error.ts"),
  ]);
  const isTransient = (error: unknown) => !(error instanceof PermanentError) && !isPermanent(error);
  return retry(host, { maxAttempts, isTransient }, attempt);
}

/** Error that a server will repeat for the same request. */
export class PermanentError extends Error {}
