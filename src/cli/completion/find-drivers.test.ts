import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { testApi } from "../../kube-client/test-api.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { findDrivers } from "./find-drivers.ts";

const env = { SPARK_CONF_DIR: "/conf", KUBECONFIG: "/kube" };

const kubeconfig = `
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "https://192.0.2.1"}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: /opt/plugin, interactiveMode: Never}}}]
`;

test("lists drivers of the namespace, without running spark-env.sh", async () => {
  const host = testHost({ env, files: { "/conf/spark-env.sh": "export A=b" } });
  const api = testApi();
  api.put("/api/v1/namespaces/jobs/pods/etl-driver", {
    ...{ apiVersion: "v1", kind: "Pod", spec: { containers: [] }, status: { phase: "Running" } },
    metadata: { name: "etl-driver", namespace: "jobs", labels: { "spark-role": "driver", "spark-app-name": "etl" } },
  });
  const openClient: OpenClient = async (_host, { server }) =>
    kubeClient({
      ...{ transport: api.transport, server, clock: host.clock, requestTimeoutMs: 5000 },
      ...{ log: () => {}, defaultNamespace: "jobs" },
    });
  const clusterOptions = ["--master=k8s://https://h"];
  // Without `settle`, the time limit does not end while modules load.
  const found = await findDrivers(host, { clusterOptions, current: "e", openClient });
  expect(found).toEqual([{ text: "etl-driver", description: "etl, running" }]);
  expect(host.children).toEqual([]);
});

test("starts no credential plugin", async () => {
  const host = testHost({ env, files: { "/kube": kubeconfig, "/opt/plugin": { content: "", mode: 0o755 } } });
  const found = findDrivers(host, { clusterOptions: ["--master=k8s://https://192.0.2.1"], current: "" });
  await expect(found).rejects.toThrow("/opt/plugin is not started for a completion");
  expect(host.children).toEqual([]);
});
