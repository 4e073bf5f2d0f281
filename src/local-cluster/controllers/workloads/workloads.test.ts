import { describe, expect, test } from "vitest";
import { isObject } from "../../api/json.ts";
import { type TestApi, testApi } from "../../test-api.ts";

const container = { name: "a", image: "x:1" };
const apps = "/apis/apps/v1/namespaces/default";
const merge = { "content-type": "application/merge-patch+json" };

function workload(kind: string, spec: object) {
  const template = { metadata: { labels: { app: "w" } }, spec: { containers: [container] } };
  const selector = { matchLabels: { app: "w" } };
  return { apiVersion: "apps/v1", kind, metadata: { name: "w" }, spec: { selector, template, ...spec } };
}

async function create(api: TestApi, plural: string, kind: string, spec: object): Promise<void> {
  const { status } = await api.call("POST", `${apps}/${plural}`, { body: workload(kind, spec) });
  expect(status).toBe(201);
  await api.host.advance(10);
}

async function patch(api: TestApi, plural: string, spec: object): Promise<void> {
  await api.call("PATCH", `${apps}/${plural}/w`, { body: { spec }, headers: merge });
  await api.host.advance(10);
}

function pods(api: TestApi) {
  return api.scope.store.list("pods", "default");
}

function names(api: TestApi): string[] {
  return pods(api).map(({ metadata }) => metadata.name);
}

/** Marks pods as running and ready until no pod is pending. */
async function makeReady(api: TestApi): Promise<void> {
  const findPending = () => pods(api).find(({ status }) => isObject(status) && status["phase"] === "Pending");
  for (let pod = findPending(); pod !== undefined; pod = findPending()) {
    setPhase(api, pod.metadata.name, "Running");
    await api.host.advance(10);
  }
}

function setPhase(api: TestApi, name: string, phase: string): void {
  const conditions = phase === "Running" ? [{ type: "Ready", status: "True" }] : [];
  api.scope.store.update("pods", "default", name, (pod) => ({ ...pod, status: { phase, conditions } }));
}

function setReady(api: TestApi, name: string, status: "True" | "False"): void {
  const conditions = [{ type: "Ready", status }];
  api.scope.store.update("pods", "default", name, (pod) => ({ ...pod, status: { phase: "Running", conditions } }));
}

function statusOf(api: TestApi, plural: string) {
  return api.scope.store.get(`${plural}.apps`, "default", "w")?.["status"];
}

function images(api: TestApi): unknown[] {
  return pods(api).map(({ spec }) => (isObject(spec) ? JSON.stringify(spec["containers"]).match(/x:\d/)?.[0] : ""));
}

const nextImage = { template: { spec: { containers: [{ ...container, image: "x:2" }] } } };

describe("a stateful set", () => {
  test("creates its pods one after the other, each when the previous one is ready", async () => {
    const api = testApi();
    await create(api, "statefulsets", "StatefulSet", { replicas: 2, serviceName: "s" });
    expect(names(api)).toEqual(["w-0"]);
    await makeReady(api);
    expect(names(api)).toEqual(["w-0", "w-1"]);
    expect(statusOf(api, "statefulsets")).toMatchObject({
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
    });
    expect(pods(api)[1]).toMatchObject({
      metadata: {
        labels: { "apps.kubernetes.io/pod-index": "1", "statefulset.kubernetes.io/pod-name": "w-1" },
      },
      spec: { hostname: "w-1", subdomain: "s" },
    });
  });

  test("with Parallel management creates all pods immediately and deletes the last ones first", async () => {
    const api = testApi();
    await create(api, "statefulsets", "StatefulSet", { replicas: 3, podManagementPolicy: "Parallel" });
    expect(names(api)).toEqual(["w-0", "w-1", "w-2"]);
    await patch(api, "statefulsets", { replicas: 1 });
    expect(names(api)).toEqual(["w-0"]);
  });

  test("waits for an unhealthy pod before it deletes the last ones, unless that pod blocks the others", async () => {
    const api = testApi();
    await create(api, "statefulsets", "StatefulSet", { replicas: 3 });
    await makeReady(api);
    for (const name of names(api)) setReady(api, name, "False");
    await patch(api, "statefulsets", { replicas: 0 });
    expect(names(api)).toEqual(["w-0", "w-1", "w-2"]);
    for (const name of ["w-1", "w-2"]) setReady(api, name, "True");
    await api.host.advance(10);
    expect(names(api)).toEqual([]);
  });

  test("recreates a failed or deleted pod", async () => {
    const api = testApi();
    await create(api, "statefulsets", "StatefulSet", { replicas: 1 });
    const [first] = pods(api);
    setPhase(api, "w-0", "Failed");
    await api.host.advance(10);
    const [second] = pods(api);
    expect(second?.metadata.name).toBe("w-0");
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
    api.scope.store.remove("pods", "default", "w-0");
    await api.host.advance(10);
    expect(names(api)).toEqual(["w-0"]);
  });

  test("updates its pods from the last to the first", async () => {
    const api = testApi();
    await create(api, "statefulsets", "StatefulSet", { replicas: 2 });
    await makeReady(api);
    await patch(api, "statefulsets", nextImage);
    expect(images(api)).toEqual(["x:1", "x:2"]);
    await makeReady(api);
    expect(images(api)).toEqual(["x:2", "x:2"]);
    const status = statusOf(api, "statefulsets");
    expect(isObject(status) && status["currentRevision"] === status["updateRevision"]).toBe(true);
  });

  test("creates claims of each pod, which are kept, or deleted if the policy says so", async () => {
    const api = testApi();
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const claims = {
      volumeClaimTemplates: [{ metadata: { name: "d" }, spec }],
      podManagementPolicy: "Parallel",
    };
    await create(api, "statefulsets", "StatefulSet", { replicas: 2, ...claims });
    const list = () => api.scope.store.list("persistentvolumeclaims").map(({ metadata }) => metadata.name);
    expect(list()).toEqual(["d-w-0", "d-w-1"]);
    await patch(api, "statefulsets", { replicas: 1 });
    expect(list()).toEqual(["d-w-0", "d-w-1"]);
    await patch(api, "statefulsets", {
      replicas: 2,
      persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" },
    });
    await patch(api, "statefulsets", { replicas: 1 });
    await api.host.advance(100);
    expect(list()).toEqual(["d-w-0"]);
  });

  test("records an event when a pod is rejected, and retries", async () => {
    const api = testApi();
    const template = {
      metadata: { labels: { app: "w" } },
      spec: { containers: [container], serviceAccountName: "x" },
    };
    await create(api, "statefulsets", "StatefulSet", { template });
    const [event] = api.scope.store.list("events");
    expect(event).toMatchObject({
      ...{ type: "Warning", reason: "FailedCreate" },
      message:
        'Create Pod w-0 in StatefulSet w failed error: pods "w-0" is forbidden: error looking up service account default/x: ' +
        'serviceaccount "x" not found',
    });
    api.put("serviceaccounts", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "x", namespace: "default" },
    });
    await api.host.advance(1_000);
    expect(names(api)).toEqual(["w-0"]);
  });
});

describe("a deployment", () => {
  test("runs its pods by a replica set", async () => {
    const api = testApi();
    await create(api, "deployments", "Deployment", { replicas: 2 });
    await makeReady(api);
    expect(statusOf(api, "deployments")).toMatchObject({
      ...{ replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
      conditions: [
        { type: "Available", status: "True", reason: "MinimumReplicasAvailable" },
        { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" },
      ],
    });
    const [pod] = names(api);
    api.scope.store.remove("pods", "default", pod ?? "");
    await api.host.advance(10);
    expect(names(api)).toHaveLength(2);
  });

  test("updates its pods within its limits, and can roll back", { tags: "long" }, async () => {
    const api = testApi();
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    await create(api, "deployments", "Deployment", { replicas: 3, strategy: { rollingUpdate } });
    await makeReady(api);
    await patch(api, "deployments", nextImage);
    expect(images(api).sort()).toEqual(["x:1", "x:1", "x:1", "x:2"]);
    await makeReady(api);
    expect(images(api)).toEqual(["x:2", "x:2", "x:2"]);
    await patch(api, "deployments", { template: { spec: { containers: [container] } } });
    await makeReady(api);
    expect(images(api)).toEqual(["x:1", "x:1", "x:1"]);
    const sets = api.scope.store.list("replicasets.apps");
    const revisions = sets.map(({ metadata }) => metadata.annotations?.["deployment.kubernetes.io/revision"]);
    expect(revisions.sort()).toEqual(["2", "3"]);
  });

  test("keeps its minimum of available pods while an update does not progress", async () => {
    const api = testApi();
    const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 };
    await create(api, "deployments", "Deployment", { replicas: 10, strategy: { rollingUpdate } });
    await makeReady(api);
    await patch(api, "deployments", nextImage);
    await api.host.advance(1000);
    expect(images(api).filter((image) => image === "x:1")).toHaveLength(8);
    expect(images(api).filter((image) => image === "x:2")).toHaveLength(5);
  });

  test("continues revisions of 64 bits", async () => {
    const api = testApi();
    await create(api, "deployments", "Deployment", { replicas: 1 });
    const revision = "deployment.kubernetes.io/revision";
    const [first] = api.scope.store.list("replicasets.apps");
    api.scope.store.update("replicasets.apps", "default", first?.metadata.name ?? "", (set) => ({
      ...set,
      metadata: { ...set.metadata, annotations: { ...set.metadata.annotations, [revision]: "3546343826724305832" } },
    }));
    await patch(api, "deployments", nextImage);
    expect(api.scope.store.get("deployments.apps", "default", "w")?.metadata.annotations).toMatchObject({
      [revision]: "3546343826724305833",
    });
  });

  test("deletes all old pods first if the strategy is Recreate", async () => {
    const api = testApi();
    await create(api, "deployments", "Deployment", { replicas: 2, strategy: { type: "Recreate" } });
    await makeReady(api);
    await patch(api, "deployments", nextImage);
    await api.host.advance(10);
    expect(images(api)).toEqual(["x:2", "x:2"]);
  });

  test("deletes its pods when it is deleted", async () => {
    const api = testApi();
    await create(api, "deployments", "Deployment", { replicas: 2 });
    await api.call("DELETE", `${apps}/deployments/w`);
    await api.host.advance(100);
    expect(names(api)).toEqual([]);
  });
});
