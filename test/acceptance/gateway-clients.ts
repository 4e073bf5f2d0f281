import { type IncomingHttpHeaders, request } from "node:http";
import { setTimeout } from "node:timers/promises";

/** A reply of a gateway; the status 0 is a connection that broke. */
interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly json: Readonly<Record<string, unknown>>;
}

/** A protocol by which clients submit with a key, so that they can repeat a request. */
interface SubmitProtocol {
  readonly name: "livy" | "rest" | "submitter" | "api";
  readonly path: string;
  readonly body: (key: string) => unknown;
  /** Field of the response with the ID of the application. */
  readonly idField: string;
}

const app = { resource: "local:///opt/app.jar", mainClass: "Main" };
const operatorArgs = ["--master", "k8s://https://10.0.0.1:443", "--deploy-mode", "cluster", "--class", app.mainClass];

/** Each application has its key as its only argument. */
export const submitProtocols: readonly SubmitProtocol[] = [
  {
    ...{ name: "livy", path: "/batches", idField: "id" },
    body: (key) => ({ file: app.resource, className: app.mainClass, args: [key] }),
  },
  {
    ...{ name: "rest", path: "/v1/submissions/create", idField: "submissionId" },
    body: (key) => ({
      ...{ action: "CreateSubmissionRequest", clientSparkVersion: "4.3.0", environmentVariables: {} },
      ...{ appResource: app.resource, mainClass: app.mainClass, appArgs: [key] },
      sparkProperties: { "spark.app.name": "app" },
    }),
  },
  {
    ...{ name: "submitter", path: "/api/v1/spark-submit", idField: "driver_pod_name" },
    body: (key) => ({
      submission_id: key,
      spark_submit_args: [...operatorArgs, "--name", "app", app.resource, key],
    }),
  },
  {
    ...{ name: "api", path: "/api/v1/applications", idField: "key" },
    body: (key) => ({ name: "app", app: app.resource, class: app.mainClass, args: [key] }),
  },
];

/** Applications that clients have requested, by their keys. */
export interface Submitted {
  /** IDs of those that the gateway has acknowledged, in the order of the responses. */
  readonly acknowledged: ReadonlyMap<string, string>;
  /** Keys of the applications whose kill the gateway has acknowledged. */
  readonly killed: ReadonlySet<string>;
  /** Keys of those whose request failed, and was not repeated. */
  readonly abandoned: ReadonlySet<string>;
  /** Responses that no client expects. */
  readonly unexpected: readonly string[];
}

/** Clients that submit until they are stopped. */
export interface GatewayClients {
  /** Returns the number of acknowledged applications. */
  readonly count: () => number;
  /** Waits until each client has its response. */
  readonly stop: () => Promise<Submitted>;
}

/** One application in this number is given up after the first failure of its request, or killed. */
const abandonedShare = 5;
const killedShare = 4;

/** Clients of each protocol. */
const clientsPerProtocol = 2;

/** Starts clients of all protocols. They repeat requests that get no response, with the same key. */
export function startClients(urlOf: () => string, name: string, intervalMs: number): GatewayClients {
  const acknowledged = new Map<string, string>();
  const [killed, abandoned] = [new Set<string>(), new Set<string>()];
  const unexpected: string[] = [];
  let isStopped = false;

  async function submit(protocol: SubmitProtocol, number: number): Promise<void> {
    const key = `${name}-${protocol.name}-${number}`;
    const isAbandoned = number % abandonedShare === abandonedShare - 1;
    const headers = { "idempotency-key": key };
    const call = { method: "POST", path: protocol.path, body: protocol.body(key), headers };
    for (;;) {
      const { status, json } = await send(urlOf(), call);
      if (status === 200 || status === 201) {
        acknowledged.set(key, String(json[protocol.idField]));
        break;
      }
      if (status !== 0 && status !== 503) return void unexpected.push(`${key}: ${status} ${JSON.stringify(json)}`);
      if (isAbandoned) return void abandoned.add(key);
      await setTimeout(20);
    }
    if (protocol.name === "api" && number % killedShare === 1) await kill(key);
  }

  async function kill(key: string): Promise<void> {
    const path = `/api/v1/applications/${acknowledged.get(key)}/kill`;
    for (;;) {
      const { status, json } = await send(urlOf(), { method: "POST", path });
      // 409: an earlier request has killed it.
      if (status === 202 || status === 409) return void killed.add(key);
      if (status !== 0 && status !== 503) return void unexpected.push(`kill ${key}: ${status} ${JSON.stringify(json)}`);
      await setTimeout(20);
    }
  }

  const running = Array.from({ length: clientsPerProtocol }, (_, client) =>
    submitProtocols.map(async (protocol) => {
      for (let number = client; !isStopped; number += clientsPerProtocol) {
        await submit(protocol, number);
        await setTimeout(intervalMs);
      }
    }),
  );
  return {
    count: () => acknowledged.size,
    async stop() {
      isStopped = true;
      await Promise.all(running.flat());
      return { acknowledged, killed, abandoned, unexpected };
    },
  };
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request on a connection of its own. */
export function send(url: string, { method, path, body, headers = {} }: Call): Promise<Reply> {
  const text = body === undefined ? "" : JSON.stringify(body);
  return new Promise((resolve) => {
    const broken = () => resolve({ status: 0, headers: {}, json: {} });
    const all = { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(text) };
    const sent = request(new URL(path, url), { method, headers: all, agent: false }, (reply) => {
      let received = "";
      reply.on("data", (chunk) => {
        received += chunk;
      });
      reply.on("error", broken);
      reply.on("close", () => {
        if (!reply.complete) return broken();
        const json = received.trimStart().startsWith("{") ? JSON.parse(received) : {};
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, json });
      });
    });
    sent.on("error", broken).end(text);
  });
}
