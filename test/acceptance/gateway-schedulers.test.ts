import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { applicationJson } from "../../src/gateway/api/application-json.ts";
import type { OpenApplications } from "../../src/gateway/applications/open-applications.ts";
import { noRules, type QueueScheduler } from "../../src/gateway/queue/queue-rules.ts";
import type { ServerLog } from "../../src/http/server-log.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { KubeResource, Pod } from "../../src/kube/types.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call, startApi } from "./embedded-api.ts";
import { driversIn, eventually, openGatewayApplications, setStatus, testApplication } from "./gateway-cluster.ts";

const workloads = "/apis/kueue.x-k8s.io/v1beta1/namespaces/default/workloads";
const podGroups = resourcePath(resourceTypes.podGroup, "default");
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

let directory: string;
let cluster: EmbeddedCluster;
let applications: OpenApplications;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "gateway-schedulers-"));
  cluster = await startApi(directory);
  await define({ group: "kueue.x-k8s.io", version: "v1beta1", kind: "Workload", plural: "workloads" }, workloads);
  await define(resourceTypes.podGroup, podGroups);
});

afterAll(async () => {
  await cluster.stop();
  rmSync(directory, { recursive: true });
});

afterEach(async () => {
  for (const { record } of [...applications.list()]) await applications.remove(record.key, undefined);
  await eventually(async () => ((await driversIn(cluster)).length === 0 ? true : undefined));
  await applications.close();
});

/** Defines a custom resource as its scheduler does, and waits until the API serves it. */
async function define(
  { group, version, kind, plural }: Readonly<Record<"group" | "version" | "kind" | "plural", string>>,
  path: string,
) {
  const any = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  await call(cluster, "POST", definitions, {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: "Namespaced", names: { plural, kind } },
      versions: [
        {
          ...{ name: version, served: true, storage: true, subresources: { status: {} } },
          schema: { openAPIV3Schema: { type: "object", properties: { spec: any, status: any } } },
        },
      ],
    },
  });
  await eventually(() => call(cluster, "GET", path).catch(() => undefined));
}

/** Opens a gateway whose queue `etl` belongs to a scheduler, and submits an application to it. Returns its key and driver. */
async function submitted(kind: QueueScheduler["kind"], transport?: Transport, log?: ServerLog) {
  const queues = new Map([["etl", { weight: 1, scheduler: { kind, queue: "root.etl" } }]]);
  applications = await openGatewayApplications(cluster, transport, {
    queues: { ...noRules, queues },
    ...(log && { log }),
  });
  const { submission } = testApplication();
  const settings = { "spark.executor.instances": "3" };
  const result = await applications.submit(testApplication({ queue: "etl", submission: { ...submission, settings } }));
  if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
  const { key, podName } = result.application.record;
  const driver = await eventually(async () => (await driversIn(cluster)).find(nameIs(podName)));
  return { key, driver };
}

function nameIs(name: string) {
  return ({ metadata }: Pod) => metadata?.name === name;
}

/** Waits until the API shows a text as the message of an application, and returns the application as the API shows it. */
function shown(key: string, message: string | undefined) {
  return eventually(() => {
    const application = applications.get(key);
    const json = application && applicationJson(application, {});
    return json?.message === message ? json : undefined;
  });
}

/** Sets the condition of a driver that has no node. */
async function setUnscheduled({ metadata }: Pod, reason: string, message: string): Promise<void> {
  const conditions = [{ type: "PodScheduled", status: "False", reason, message }] as const;
  await setStatus(cluster, metadata?.name ?? "", { phase: "Pending", conditions: [...conditions] });
}

async function setScheduled({ metadata }: Pod): Promise<void> {
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const conditions = [{ type: "PodScheduled", status: "True", lastTransitionTime }] as const;
  await setStatus(cluster, metadata?.name ?? "", { phase: "Pending", conditions: [...conditions] });
}

describe("an application in a queue of Kueue", () => {
  /** Creates the workload of a driver, as Kueue does. Returns a function that sets its conditions. */
  async function workloadOf({ metadata }: Pod) {
    const name = `pod-${metadata?.name}`;
    const owner = { apiVersion: "v1", kind: "Pod", name: metadata?.name, uid: metadata?.uid };
    await call(cluster, "POST", workloads, {
      ...{ apiVersion: "kueue.x-k8s.io/v1beta1", kind: "Workload", spec: { queueName: "root.etl" } },
      metadata: { name, ownerReferences: [owner] },
    });
    return (conditions: readonly object[]) =>
      call(cluster, "PATCH", `${workloads}/${name}/status`, { status: { conditions } });
  }

  test("has the labels of its pods, and shows why it is not admitted until it is", async () => {
    const { key, driver } = await submitted("kueue");
    expect(driver.metadata?.labels).toMatchObject({ "kueue.x-k8s.io/queue-name": "root.etl" });
    expect(driver.spec?.schedulerName ?? "default-scheduler").toBe("default-scheduler");
    await setUnscheduled(driver, "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates");
    const setConditions = await workloadOf(driver);
    expect(await shown(key, "Kueue has not evaluated the driver yet.")).toMatchObject({
      state: "pending",
      reason: "SchedulingGated",
    });
    const message =
      "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 1 more needed";
    await setConditions([{ type: "QuotaReserved", status: "False", reason: "Pending", message }]);
    await shown(key, `Kueue does not admit the driver yet: ${message}.`);
    await setConditions([
      { type: "QuotaReserved", status: "True", message: "Quota reserved in ClusterQueue cluster" },
      { type: "Admitted", status: "True", message: "The workload is admitted" },
    ]);
    await setScheduled(driver);
    await shown(key, undefined);
  });

  test("shows the condition of the pod if workloads may not be read, and says so once", async () => {
    const entries: string[] = [];
    const denied: Transport = async (request) => {
      if (!request.path.includes("/workloads")) return cluster.transport(request);
      const status = { kind: "Status", code: 403, reason: "Forbidden", message: "workloads is forbidden" };
      return {
        ...{ status: 403, headers: { "content-type": "application/json" } },
        body: (async function* () {
          yield Buffer.from(JSON.stringify(status));
        })(),
      };
    };
    const { key, driver } = await submitted("kueue", denied, (level, text) => entries.push(`${level} ${text}`));
    await setUnscheduled(driver, "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates");
    await shown(key, "Scheduling is blocked due to non-empty scheduling gates");
    const expected = "WARN Workloads of Kueue may not be read, so what they say is not shown.";
    await eventually(() => (entries.includes(expected) ? true : undefined));
    expect(entries).toEqual([expected]);
  });
});

test("an application in a queue of Volcano has a PodGroup for all of its pods, and shows why it has no room", async () => {
  const { key, driver } = await submitted("volcano");
  const appId = driver.metadata?.labels?.["spark-app-selector"] ?? "";
  const group = await call<KubeResource>(cluster, "GET", `${podGroups}/${appId}-podgroup`);
  expect(group["spec"]).toEqual({ minMember: 1, queue: "root.etl", minResources: { cpu: "4", memory: "5632Mi" } });
  expect(driver.spec?.schedulerName).toBe("volcano");
  expect(driver.metadata?.annotations).toMatchObject({ "scheduling.k8s.io/group-name": `${appId}-podgroup` });
  const setGroup = (status: object) => call(cluster, "PATCH", `${podGroups}/${appId}-podgroup/status`, { status });
  await setGroup({ phase: "Pending" });
  await shown(key, "Volcano's queue root.etl has no room for the application yet.");
  const message = "1/1 tasks in gang unschedulable: pod group is not ready, 1 Pending, 1 minAvailable";
  await setGroup({ phase: "Inqueue", conditions: [{ type: "Unschedulable", status: "True", message }] });
  await shown(key, `Volcano looks for nodes for the application: ${message}.`);
  await setGroup({ phase: "Running" });
  await shown(key, undefined);
});

test("an application in a queue of YuniKorn describes its pods, and shows the last event", async () => {
  const { key, driver } = await submitted("yunikorn");
  expect(driver.spec?.schedulerName).toBe("yunikorn");
  expect(driver.metadata?.labels).toMatchObject({ queue: "root.etl" });
  const groups = driver.metadata?.annotations?.["yunikorn.apache.org/task-groups"] ?? "";
  expect(JSON.parse(groups)).toEqual([
    { name: "spark-driver", minMember: 1, minResource: { cpu: "1", memory: "1408Mi" } },
    { name: "spark-executor", minMember: 3, minResource: { cpu: "1", memory: "1408Mi" } },
  ]);
  const record = (source: string, message: string, second: number) =>
    call(cluster, "POST", resourcePath(resourceTypes.event, "default"), {
      ...{ apiVersion: "v1", kind: "Event", metadata: { generateName: "driver-" }, type: "Normal" },
      involvedObject: { kind: "Pod", namespace: "default", name: driver.metadata?.name, uid: driver.metadata?.uid },
      ...{ reason: "Scheduling", message, source: { component: source } },
      lastTimestamp: `2026-01-01T00:00:0${second}Z`,
    });
  await record("yunikorn", "the queue quota has been exceeded", 2);
  await shown(key, "YuniKorn: the queue quota has been exceeded.");
  await record("yunikorn", "default/driver is queued and waiting for allocation", 1);
  await record("kubelet", "Pulling image", 4);
  await record("yunikorn", "waiting for placeholders", 3);
  await shown(key, "YuniKorn: waiting for placeholders.");
});

test("a cluster without the scheduler's resources is reported once, and runs applications", async () => {
  const entries: string[] = [];
  const absent: Transport = async (request) =>
    cluster.transport({ ...request, path: request.path.replace("/workloads", "/absent") });
  const { key } = await submitted("kueue", absent, (level, text) => entries.push(`${level} ${text}`));
  await eventually(() => (applications.get(key)?.state === "pending" ? true : undefined));
  await eventually(() => entries[0]);
  expect(entries).toEqual(["WARN The cluster has no workloads of Kueue yet."]);
});
