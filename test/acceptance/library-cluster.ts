import { onTestFinished } from "vitest";
import { Firesteel, type FiresteelOptions, type LogLine, nodeHost } from "../../src/index.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../src/kube/transport.ts";
import type { Pod } from "../../src/kube/types.ts";
import { kubeClient } from "../../src/kube-client/client.ts";
import { httpTransport } from "../../src/kube-client/http.ts";
import { sharedConnections } from "../../src/kube-client/shared-connections.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call, startApi } from "./embedded-api.ts";
import { temporaryDirectory } from "./programs.ts";

type Awaitable<T> = T | Promise<T>;

type PodStatus = NonNullable<Pod["status"]>;

/** Answers a request instead of the API; `undefined` for the API's answer. */
export type Intercept = (request: ApiRequest) => Promise<ApiResponse> | undefined;

/** A client of the library for an embedded API without a node. */
export interface LibraryClient {
  readonly firesteel: Firesteel;
  /** Requests of the client: method and path, without query. */
  readonly requests: readonly string[];
  /** Watch requests: path with query. */
  readonly watches: readonly string[];
  readonly logged: readonly LogLine[];
}

/** Starts an embedded API, which ends with the test. */
export async function testedApi(): Promise<EmbeddedCluster> {
  const api = await startApi(temporaryDirectory());
  onTestFinished(() => api.stop());
  return api;
}

/** Creates a client, which is closed with the test. */
export function libraryClient(
  api: EmbeddedCluster,
  options: Partial<FiresteelOptions> = {},
  intercept: Intercept = () => undefined,
): LibraryClient {
  const requests: string[] = [];
  const watches: string[] = [];
  const logged: LogLine[] = [];
  const record =
    (transport: Transport): Transport =>
    (request) => {
      requests.push(`${request.method} ${request.path.replace(/\?.*/, "")}`);
      if (/[?&]watch=true/.test(request.path)) watches.push(request.path);
      return intercept(request) ?? transport(request);
    };
  const connections = sharedConnections(async (connection) => {
    const opened = await httpTransport(connection);
    return { ...opened, transport: record(opened.transport) };
  });
  const home = temporaryDirectory();
  const firesteel = new Firesteel(
    {
      ...{ master: `k8s://${api.url}`, credentials: api, env: { HOME: home }, log: (line) => logged.push(line) },
      ...options,
      conf: { "spark.kubernetes.container.image": "spark:4.3.0", ...options.conf },
    },
    { host: nodeHost(), openClient: connections.openClient },
  );
  onTestFinished(async () => {
    await firesteel.close();
    connections.close();
  });
  return { firesteel, requests, watches, logged };
}

/** Sets the status of a driver's pod, as a kubelet does. */
export async function setStatus(api: EmbeddedCluster, id: string, status: PodStatus): Promise<void> {
  const [namespace = "", name = ""] = id.split(":");
  await call(api, "PATCH", `${resourcePath(resourceTypes.pod, namespace)}/${name}/status`, { status });
}

/** Status of a pod whose driver runs. */
export const running: PodStatus = { phase: "Running", containerStatuses: [containerStatus({ running: {} })] };

/** Status of a pod whose driver has ended. */
export function ended(exitCode: number, reason = exitCode === 0 ? "Completed" : "Error"): PodStatus {
  return {
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    containerStatuses: [containerStatus({ terminated: { exitCode, reason } })],
  };
}

function containerStatus(state: object) {
  const name = "spark-kubernetes-driver";
  return { name, image: "spark", imageID: "", ready: false, restartCount: 0, state };
}

/** Deletes a pod at once. */
export async function deletePod(api: EmbeddedCluster, id: string): Promise<void> {
  const [namespace = "", name = ""] = id.split(":");
  await call(api, "DELETE", `${resourcePath(resourceTypes.pod, namespace)}/${name}?gracePeriodSeconds=0`);
}

/** A successful response with text. */
export async function textResponse(...chunks: readonly string[]): Promise<ApiResponse> {
  async function* body() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  return { status: 200, headers: {}, body: body() };
}

/**
 * Changes the status of each new driver as a kubelet would, until the test ends.
 *
 * @param decide returns the states that a driver passes through
 */
export function startKubelet(api: EmbeddedCluster, decide: (pod: Pod) => Awaitable<readonly PodStatus[]>): void {
  const stopped = new AbortController();
  onTestFinished(() => stopped.abort());
  const { clock } = nodeHost();
  const client = kubeClient({
    ...{ transport: api.transport, clock, server: api.url, requestTimeoutMs: 0 },
    log: () => {},
  });
  const selection = { type: resourceTypes.pod, labelSelector: "spark-role=driver", signal: stopped.signal };
  const runPod = async (pod: Pod) => {
    const { namespace, name } = pod.metadata ?? {};
    for (const status of await decide(pod)) await setStatus(api, `${namespace}:${name}`, status);
  };
  const run = async () => {
    for await (const { type, object } of client.watch<Pod>(selection)) {
      if (type !== "ADDED") continue;
      void runPod(object);
    }
  };
  run().catch((error: unknown) => {
    if (!stopped.signal.aborted) throw error;
  });
}

/** Status of a pod whose node was lost. */
export const nodeLost: PodStatus = {
  ...{ phase: "Failed", reason: "NodeLost" },
  conditions: [{ type: "DisruptionTarget", status: "True", reason: "DeletionByTaintManager" }],
};
