import type { IncomingMessage } from "node:http";
import { Agent, request as openRequest } from "node:https";
import { load } from "js-yaml";

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A Kubernetes API to measure, with Node's own client. */
export interface ApiTarget {
  readonly name: string;
  /** URL of the API. */
  readonly server: string;
  /** Creates the namespace firesteel-bench. */
  readonly open: () => Promise<void>;
  /** Makes `count` requests. @throws Error as `fetchText` does */
  readonly many: (count: number, concurrency: number, call: (index: number) => ApiCall) => Promise<void>;
  /** @throws Error for a response that is not a success, a lost connection, or no complete response within 30 s */
  readonly fetchText: (call: ApiCall) => Promise<string>;
  /** Opens a watch; calls `onLine` for each line. @returns stops it */
  readonly watch: (path: string, onLine: () => void) => Promise<() => void>;
  readonly close: () => Promise<void>;
}

const namespace = "/api/v1/namespaces/firesteel-bench";
const timeoutMs = 30_000;

/** Opens the API of a kubeconfig. */
export function openTarget(name: string, kubeconfig: string): ApiTarget {
  const access = parseAccess(kubeconfig);
  const agent = new Agent({ keepAlive: true, ...access.tls });
  const watches = new Agent({ keepAlive: false, ...access.tls });

  function send(call: ApiCall, through: Agent, signal?: AbortSignal): Promise<IncomingMessage> {
    const text = call.body === undefined ? "" : JSON.stringify(call.body);
    const url = new URL(call.path, access.server);
    const type = call.method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = {
      ...access.headers,
      ...(text === "" ? {} : { "content-type": type, "content-length": Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      const options = { method: call.method, headers, agent: through, ...(signal !== undefined && { signal }) };
      openRequest(url, options, resolve).on("error", reject).end(text);
    });
  }

  async function fetchText(call: ApiCall): Promise<string> {
    const response = await send(call, agent, AbortSignal.timeout(timeoutMs));
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString("utf8");
    if ((response.statusCode ?? 0) >= 300)
      throw new Error(`${call.method} ${call.path}: ${response.statusCode} ${text}`);
    return text;
  }

  return {
    ...{ name, server: access.server },
    fetchText,
    async open() {
      await fetchText({
        method: "POST",
        path: "/api/v1/namespaces",
        body: { metadata: { name: "firesteel-bench" } },
      });
    },
    async many(count, concurrency, call) {
      let next = 0;
      const work = async () => {
        while (next < count) await fetchText(call(next++));
      };
      await Promise.all(Array.from({ length: concurrency }, work));
    },
    async watch(path, onLine) {
      const response = await send({ method: "GET", path }, watches);
      response.on("data", (chunk: Buffer) => {
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) onLine();
      });
      response.on("error", () => {});
      return () => response.destroy();
    },
    async close() {
      await fetchText({ method: "DELETE", path: namespace });
      agent.destroy();
      watches.destroy();
    },
  };
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

/** Reads the access data of the first cluster and the first user. */
function parseAccess(text: string) {
  const parsed: unknown = load(text);
  if (!isKubeconfig(parsed)) throw new Error("The kubeconfig names no cluster or no user.");
  const [{ cluster }] = parsed.clusters;
  const [{ user }] = parsed.users;
  const { token } = user;
  const pem = (data: string | undefined, file: string | undefined) =>
    data === undefined ? file : Buffer.from(data, "base64").toString("utf8");
  const ca = pem(cluster["certificate-authority-data"], undefined);
  const cert = pem(user["client-certificate-data"], undefined);
  const key = pem(user["client-key-data"], undefined);
  return {
    server: cluster["server"] ?? "",
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    tls: {
      rejectUnauthorized: ca !== undefined,
      ...(ca === undefined ? {} : { ca }),
      ...(cert && key ? { cert, key } : {}),
    },
  };
}

function isKubeconfig(value: unknown): value is Kubeconfig {
  return (
    typeof value === "object" && value !== null && "clusters" in value && "users" in value && Array.isArray(value.users)
  );
}
