import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApplicationsCall, openApplications } from "../../src/gateway/applications/open-applications.ts";
import { defaultRetryPolicy } from "../../src/gateway/applications/retry-policy.ts";
import { podLogs } from "../../src/gateway/logs/pod-logs.ts";
import type { NewApplication } from "../../src/gateway/model/applications.ts";
import { fairQueue } from "../../src/gateway/queue/fair-queue.ts";
import { noRules, type QueueRules, schedulersOf } from "../../src/gateway/queue/queue-rules.ts";
import { secretStore } from "../../src/gateway/records/secret-store.ts";
import { noTracing } from "../../src/gateway/tracing/tracing.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { KubeResource, Pod } from "../../src/kube/types.ts";
import { kubeClient } from "../../src/kube-client/client.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call, startApi } from "./embedded-api.ts";

interface GatewayChanges
  extends Partial<Pick<ApplicationsCall, "isImpersonating" | "receivers" | "retention" | "retries" | "tracing">> {
  readonly queues?: QueueRules;
  readonly log?: ApplicationsCall["log"];
}

/** Opens the applications of a gateway on an embedded API, as `firesteel gateway` does. */
export async function openGatewayApplications(
  cluster: EmbeddedCluster,
  transport: Transport = cluster.transport,
  { queues = noRules, log = () => {}, ...changes }: GatewayChanges = {},
) {
  const host = nodeHost();
  const options = { transport, server: cluster.url, clock: host.clock, log: () => {}, requestTimeoutMs: 10_000 };
  const client = kubeClient(options);
  return openApplications({
    ...{ host, client, log, logs: podLogs(client), openEmbedded: undefined },
    store: secretStore({ client, host, namespace: "default", gateway: "gateway", onUnreadable: () => {} }),
    defaults: {
      master: "k8s://https://127.0.0.1:6443",
      settings: { "spark.kubernetes.container.image": "spark:4.3.0" },
      ...{ user: "spark", gateway: "gateway", schedulers: schedulersOf(queues) },
    },
    queue: fairQueue(queues, () => []),
    retries: defaultRetryPolicy,
    ...{ namespace: "default", namespaces: ["default"], maxConcurrent: 8 },
    diagnose: async () => undefined,
    retention: { keepMs: 86_400_000, maxEnded: 1000 },
    receivers: { namesFor: () => [], deliver: async () => true },
    tracing: noTracing,
    ...changes,
  });
}

/** Calls a function with an embedded API of its own. */
export async function withCluster(use: (cluster: EmbeddedCluster) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "gateway-"));
  const cluster = await startApi(directory);
  try {
    await use(cluster);
  } finally {
    await cluster.stop();
    rmSync(directory, { recursive: true });
  }
}

/** Returns an API that a process no longer reaches after a number of requests, as if it had been killed. */
export function killedAfter(
  transport: Transport,
  requests: number,
): { readonly transport: Transport; readonly isDead: () => boolean } {
  let left = requests;
  return {
    isDead: () => left <= 0,
    async transport(request) {
      const isWatch = request.path.includes("watch=");
      if (!isWatch) left -= 1;
      if (left < 0) await new Promise(() => {});
      return transport(request);
    },
  };
}

const container = { name: "spark-kubernetes-driver", image: "spark", imageID: "", restartCount: 0 };

/** Status of a driver that runs. */
export const runningStatus: Pod["status"] = {
  phase: "Running",
  containerStatuses: [{ ...container, ready: true, state: { running: { startedAt: "2026-01-01T00:00:01Z" } } }],
};

/** Returns the status of a driver that has ended. */
export function endedStatus(exitCode: number): Pod["status"] {
  const terminated = { exitCode, startedAt: "2026-01-01T00:00:01Z", finishedAt: "2026-01-01T00:00:02Z" };
  return {
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    containerStatuses: [{ ...container, ready: false, state: { terminated } }],
  };
}

/** An application that every cluster accepts. */
export function testApplication(changes: Partial<NewApplication> = {}): NewApplication {
  const submission = {
    fields: { mainClass: "Main" },
    ...{ settings: {}, resource: "local:///opt/app.jar", appArgs: [], templates: {} },
  };
  return { protocol: "api", submission, ...changes };
}

/** Driver pods in the cluster. */
export async function driversIn(cluster: EmbeddedCluster): Promise<readonly Pod[]> {
  const path = `${resourcePath(resourceTypes.pod, "default")}?labelSelector=spark-role%3Ddriver`;
  return (await call<{ readonly items: readonly Pod[] }>(cluster, "GET", path)).items;
}

/** Sets the status of a pod, as a node does. */
export async function setStatus(cluster: EmbeddedCluster, name: string, status: Pod["status"]): Promise<void> {
  await call<KubeResource>(cluster, "PATCH", `${resourcePath(resourceTypes.pod, "default", name)}/status`, { status });
}

/** Returns what `read` returns as soon as it is defined. */
export async function eventually<T>(read: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
