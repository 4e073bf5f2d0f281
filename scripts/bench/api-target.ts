import type { IncomingMessage } from "node:http";
import { Agent, request as openRequest } from "node:https";
import { load } from "js-yaml";

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A Kubernetes API that is measured, by Node's own client. */
export interface ApiTarget {
  readonly name: string;
  /** Makes the namespace that the work is done in. */
  readonly open: () => Promise<void>;
  /** Makes requests, so many at once. @throws Error for an answer that is no success */
  readonly many: (count: number, atOnce: number, call: (index: number) => ApiCall) => Promise<void>;
  readonly ask: (call: ApiCall) => Promise<string>;
  /** Reads an answer without end; calls for each line. */
  readonly watch: (path: string, onLine: () => void) => Promise<() => void>;
  readonly close: () => Promise<void>;
}

const namespace = "/api/v1/namespaces/firesteel-bench";

/** The API that a kubeconfig names. */
export function openTarget(name: string, kubeconfig: string): ApiTarget {
  const access = parseAccess(kubeconfig);
  const agent = new Agent({ keepAlive: true, ...access.tls });
  const watches = new Agent({ keepAlive: false, ...access.tls });

  function send(call: ApiCall, through: Agent): Promise<IncomingMessage> {
    const text = call.body === undefined ? "" : JSON.stringify(call.body);
    const url = new URL(call.path, access.server);
    const headers = {
      ...access.headers,
      ...(text === "" ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      openRequest(url, { method: call.method, headers, agent: through }, resolve).on("error", reject).end(text);
    });
  }

  async function ask(call: ApiCall): Promise<string> {
    const answer = await send(call, agent);
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString("utf8");
    if ((answer.statusCode ?? 0) >= 300) throw new Error(`${call.method} ${call.path}: ${answer.statusCode} ${text}`);
    return text;
  }

  return {
    name,
    ask,
    async open() {
      await ask({
        method: "POST",
        path: "/api/v1/namespaces",
        body: { metadata: { name: "firesteel-bench" } },
      });
    },
    async many(count, atOnce, call) {
      let next = 0;
      const work = async () => {
        while (next < count) await ask(call(next++));
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    },
    async watch(path, onLine) {
      const answer = await send({ method: "GET", path }, watches);
      answer.on("data", (chunk: Buffer) => {
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) onLine();
      });
      answer.on("error", () => {});
      return () => answer.destroy();
    },
    async close() {
      await ask({ method: "DELETE", path: namespace });
      agent.destroy();
      watches.destroy();
    },
  };
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

/** Of the only cluster and the only user. */
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
