import type { Host } from "../host/host.ts";
import type { FindProxy, HttpResponse } from "../net/http-connections.ts";

/** A question to a server of files. */
export interface FileRequest {
  readonly method: "GET" | "HEAD";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const maxRedirects = 5;
const maxConnections = 8;

/** Asks servers of files: a few connections each, kept open. */
export interface FileServers {
  /** Returns the response, whose body must be read or closed. Rejects after a minute without data. */
  readonly ask: (request: FileRequest) => Promise<HttpResponse>;
  readonly close: () => void;
}

/** Connections to servers of files. Credentials go to the server that they are for, and not along a redirect to another. */
export async function openFileServers({ clock }: Host, findProxy?: FindProxy): Promise<FileServers> {
  const { httpConnections } = await import("../net/http-connections.ts");
  const connections = httpConnections({ clock, findProxy, maxConnections });

  const ask = async ({ method, url: text, headers }: FileRequest, redirects = 0): Promise<HttpResponse> => {
    const url = new URL(text);
    if (!["http:", "https:"].includes(url.protocol)) throw new Error(`${url.protocol} is not supported`);
    const response = await connections.send({ method, url, headers });
    const { location } = response.headers;
    if (response.status < 300 || response.status >= 400 || location === undefined) return response;
    response.close();
    if (redirects === maxRedirects) throw new Error(`it redirects more than ${maxRedirects} times`);
    const next = new URL(location, url);
    if (url.protocol === "https:" && next.protocol === "http:")
      throw new Error("it redirects from https to http");
    const kept = next.origin === url.origin ? headers : withoutCredentials(headers);
    return await ask({ method, url: next.href, headers: kept }, redirects + 1);
  };
  return { ask: (request) => ask(request), close: connections.close };
}

function withoutCredentials(headers: FileRequest["headers"]): FileRequest["headers"] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== "authorization"),
  );
}

const attempts = 4;

/** Tries something again that failed as networks and busy servers do: after 0.8 s, 1.6 s and 3.2 s. */
export async function patiently<T>(host: Host, attempt: () => Promise<T>): Promise<T> {
  const { backoff } = await import("../net/backoff.ts");
  const delay = backoff(host.clock, host.random);
  for (let left = attempts - 1; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || error instanceof PermanentError) throw error;
      await delay.wait();
    }
  }
}

/** Error that a server will repeat for the same request. */
export class PermanentError extends Error {}
