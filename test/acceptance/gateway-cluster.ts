import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApplicationsCall, openApplications } from "../../src/gateway/applications/open-applications.ts";
import { defaultRetryPolicy } from "../../src/gateway/applications/retry-policy.ts";
import { podLogs } from "../../src/gateway/logs/pod-logs.ts";
import type { NewApplication } from "../../src/gateway/model/applications.ts";
import { fairQueue } from "../../src/gateway/queue/fair-queue.ts";
import { noRules, type QueueRules, schedulersOf } from "../../src/gateway/queue/queue-rules.ts";
import { openDatabaseStores } from "../../src/gateway/records/database/database-stores.ts";
import type { RecordStores } from "../../src/gateway/records/record-store.ts";
import { secretStores } from "../../src/gateway/records/secret-stores.ts";
import { noTracing } from "../../src/gateway/tracing/tracing.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { KubeResource, Pod } from "../../src/kube/types.ts";
import { type KubeClient, kubeClient } from "../../src/kube-client/client.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call, objectsIn, startApi } from "./embedded-api.ts";

interface GatewayChanges
  extends Partial<
    Pick<
      ApplicationsCall,
      "isImpersonating" | "maxConcurrent" | "receivers" | "retention" | "retries" | "store" | "tracing"
    >
  > {
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
  const client = clientOf(cluster, transport);
  return openApplications({
    ...{ host, client, log, logs: podLogs(client), openEmbedded: undefined },
    store: openSecretRecords(cluster, transport).applications,
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

function clientOf({ url: server }: EmbeddedCluster, transport: Transport): KubeClient {
  return kubeClient({ transport, server, clock: nodeHost().clock, log: () => {}, requestTimeoutMs: 10_000 });
}

const location = { namespace: "default", gateway: "gateway", onUnreadable: () => {} };

/** Opens records that are Secrets, as `firesteel gateway` does. */
export function openSecretRecords(cluster: EmbeddedCluster, transport: Transport = cluster.transport): RecordStores {
  return secretStores({ ...location, host: nodeHost(), client: clientOf(cluster, transport) });
}

/** Opens records in a database, as `firesteel gateway --store` does. */
export function openDatabaseRecords(cluster: EmbeddedCluster, directory: string): Promise<RecordStores> {
  const client = clientOf(cluster, cluster.transport);
  return openDatabaseStores({ ...location, host: nodeHost(), client, master: "k8s://https://api", directory });
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

/** Kinds of the objects of a driver that `testApplication` needs. */
export const ownedKinds = ["ConfigMap", "NetworkPolicy", "Service"];

/** Returns the kinds of the objects that each driver owns, by the name of its pod; `undefined` for objects without a driver. */
export async function kindsByOwner(
  cluster: EmbeddedCluster,
): Promise<ReadonlyMap<string | undefined, readonly string[]>> {
  const names = new Map((await driversIn(cluster)).map(({ metadata }) => [metadata?.uid, metadata?.name]));
  const found = new Map<string | undefined, string[]>();
  for (const { kind = "", metadata } of await objectsIn(cluster, "default")) {
    if (!ownedKinds.includes(kind) || metadata.name === "kubernetes") continue;
    const owner = names.get(metadata.ownerReferences?.[0]?.uid ?? "");
    found.set(owner, [...(found.get(owner) ?? []), kind].sort());
  }
  return found;
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
