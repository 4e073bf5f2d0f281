import type { IncomingMessage } from "node:http";
import type { Host } from "../host/host.ts";

/** A question to a server of files. */
export interface FileRequest {
  readonly method: "GET" | "HEAD";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const silenceMs = 60_000;
const mostRedirects = 5;

/** Asks servers of files: a few connections each, kept open. */
export interface FileServers {
  /** The answer's head; its body is to be read or dropped with `resume()`. Rejects when nothing comes for a minute. */
  readonly ask: (request: FileRequest) => Promise<IncomingMessage>;
  readonly close: () => void;
}

/** Connections to servers of files. Credentials go to the server that they are for, and not along a redirect to another. */
export async function openFileServers(mostConnections = 8): Promise<FileServers> {
  const http = await import("node:http");
  const https = await import("node:https");
  const options = { keepAlive: true, maxSockets: mostConnections };
  const agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) };

  const ask = async (request: FileRequest, redirects = 0): Promise<IncomingMessage> => {
    const url = new URL(request.url);
    const isPlain = url.protocol === "http:";
    if (!isPlain && url.protocol !== "https:") throw new Error(`${url.protocol} is not spoken here`);
    const agent = isPlain ? agents["http:"] : agents["https:"];
    const { method, headers } = request;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = (isPlain ? http : https).request(url, { method, headers, agent, timeout: silenceMs });
      asked.on("response", resolve);
      asked.on("error", reject);
      asked.on("timeout", () => asked.destroy(new Error(`nothing came for ${silenceMs / 1000} s`)));
      asked.end();
    });
    const { statusCode = 0, headers: told } = answer;
    if (statusCode < 300 || statusCode >= 400 || told.location === undefined) return answer;
    answer.resume();
    if (redirects === mostRedirects) throw new Error(`it redirects more than ${mostRedirects} times`);
    const next = new URL(told.location, url);
    if (!isPlain && next.protocol === "http:") throw new Error("it redirects from https to http");
    const kept = next.origin === url.origin ? headers : withoutCredentials(headers);
    return await ask({ method, url: next.href, headers: kept }, redirects + 1);
  };
  return {
    ask: (request) => ask(request),
    close() {
      agents["http:"].destroy();
      agents["https:"].destroy();
    },
  };
}

function withoutCredentials(headers: FileRequest["headers"]): FileRequest["headers"] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== "authorization"),
  );
}

const attempts = 4;

/** Tries something again that failed as networks and busy servers do: after 0.8 s, 1.6 s and 3.2 s. */
export async function patiently<T>(host: Host, attempt: () => Promise<T>): Promise<T> {
  const { backoff } = await import("../host/backoff.ts");
  const pause = backoff(host.clock, host.random);
  for (let left = attempts - 1; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || error instanceof Refusal) throw error;
      await pause.wait();
    }
  }
}

/** What a server will say again if it is asked again. */
export class Refusal extends Error {}
