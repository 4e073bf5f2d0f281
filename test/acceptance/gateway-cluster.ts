import { type ApplicationsCall, openApplications } from "../../src/gateway/applications/open-applications.ts";
import { defaultRetryPolicy } from "../../src/gateway/applications/retry-policy.ts";
import { podLogs } from "../../src/gateway/logs/pod-logs.ts";
import type { NewApplication } from "../../src/gateway/model/applications.ts";
import { fairQueue } from "../../src/gateway/queue/fair-queue.ts";
import { noRules } from "../../src/gateway/queue/queue-rules.ts";
import { secretStore } from "../../src/gateway/records/secret-store.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { KubeResource, Pod } from "../../src/kube/types.ts";
import { kubeClient } from "../../src/kube-client/client.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call } from "./embedded-api.ts";

/** Opens the applications of a gateway on an embedded API, as `firesteel gateway` does. */
export async function openGatewayApplications(
  cluster: EmbeddedCluster,
  transport: Transport = cluster.transport,
  changes: Pick<ApplicationsCall, "isImpersonating"> = {},
) {
  const host = nodeHost();
  const options = { transport, server: cluster.url, clock: host.clock, log: () => {}, requestTimeoutMs: 10_000 };
  const client = kubeClient(options);
  return openApplications({
    ...{ ...changes, host, client, log: () => {}, logs: podLogs(client), openEmbedded: undefined },
    store: secretStore({ client, host, namespace: "default", gateway: "gateway", onUnreadable: () => {} }),
    defaults: {
      master: "k8s://https://127.0.0.1:6443",
      settings: { "spark.kubernetes.container.image": "spark:4.3.0" },
      ...{ user: "spark", gateway: "gateway" },
    },
    queue: fairQueue(noRules, () => []),
    retries: defaultRetryPolicy,
    ...{ namespace: "default", namespaces: ["default"], maxConcurrent: 8 },
    diagnose: async () => undefined,
    retention: { keepMs: 86_400_000, maxEnded: 1000 },
  });
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
