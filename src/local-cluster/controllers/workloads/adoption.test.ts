import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";

const template = { metadata: { labels: { app: "w" } }, spec: { containers: [{ name: "a", image: "x:1" }] } };
const selector = { matchLabels: { app: "w" } };

async function create(api: TestApi, plural: string, kind: string, spec: object): Promise<void> {
  const body = { apiVersion: "apps/v1", kind, metadata: { name: "w" }, spec: { selector, template, ...spec } };
  const { status } = await api.call("POST", `/apis/apps/v1/namespaces/default/${plural}`, { body });
  expect(status).toBe(201);
  await api.host.advance(10);
}

function createPod(api: TestApi, name: string, labels: object = { app: "w" }): void {
  const metadata = { name, namespace: "default", labels };
  const status = { phase: "Running" };
  api.put("pods", { apiVersion: "v1", kind: "Pod", metadata, spec: template.spec, status });
}

function pods(api: TestApi) {
  return api.scope.store.list("pods", "default");
}

function ownersOf(api: TestApi, name: string) {
  return api.scope.store.get("pods", "default", name)?.metadata.ownerReferences;
}

async function relabel(api: TestApi, collection: string, name: string, labels: object): Promise<void> {
  api.scope.store.update(collection, "default", name, (object) => ({
    ...object,
    metadata: { ...object.metadata, labels },
  }));
  await api.host.advance(10);
}

describe("a replica set", () => {
  test("adopts a matching pod and replaces one that it releases", async () => {
    const api = testApi();
    createPod(api, "orphan");
    await create(api, "replicasets", "ReplicaSet", { replicas: 1 });
    expect(pods(api)).toHaveLength(1);
    expect(ownersOf(api, "orphan")).toMatchObject([{ kind: "ReplicaSet", name: "w", controller: true }]);
    await relabel(api, "pods", "orphan", { app: "other" });
    expect(ownersOf(api, "orphan")).toBeUndefined();
    expect(pods(api)).toHaveLength(2);
    await relabel(api, "pods", "orphan", { app: "w" });
    expect(pods(api)).toHaveLength(1);
  });

  test("leaves pods of another controller alone", async () => {
    const api = testApi();
    createPod(api, "p");
    const owner = { apiVersion: "example.com/v1", kind: "Farm", name: "f", uid: "1", controller: true };
    api.scope.store.update("pods", "default", "p", (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, ownerReferences: [owner] },
    }));
    await create(api, "replicasets", "ReplicaSet", { replicas: 1 });
    expect(ownersOf(api, "p")).toEqual([owner]);
  });
});

describe("a stateful set", () => {
  test("adopts a matching pod only if its name is the set's", async () => {
    const api = testApi();
    createPod(api, "w-0");
    createPod(api, "stranger");
    await create(api, "statefulsets", "StatefulSet", { replicas: 1 });
    expect(ownersOf(api, "w-0")).toMatchObject([{ kind: "StatefulSet", name: "w" }]);
    expect(ownersOf(api, "stranger")).toBeUndefined();
  });
});

describe("a deployment", () => {
  test("adopts the replica set of its template", async () => {
    const api = testApi();
    await create(api, "deployments", "Deployment", { replicas: 1 });
    const find = () => api.scope.store.list("replicasets.apps", "default")[0];
    const set = find();
    const body = { propagationPolicy: "Orphan" };
    await api.call("DELETE", "/apis/apps/v1/namespaces/default/deployments/w", { body });
    await api.host.advance(3_000);
    expect(find()?.metadata.ownerReferences).toBeUndefined();
    await create(api, "deployments", "Deployment", { replicas: 1 });
    expect(find()?.metadata).toMatchObject({ uid: set?.metadata.uid, ownerReferences: [{ kind: "Deployment" }] });
    expect(api.scope.store.list("replicasets.apps", "default")).toHaveLength(1);
  });
});

describe("the status of a workload", () => {
  test.each([
    ["deployments", "Deployment"],
    ["replicasets", "ReplicaSet"],
    ["statefulsets", "StatefulSet"],
  ])("keeps conditions of others: %s", async (plural, kind) => {
    const api = testApi();
    await create(api, plural, kind, { replicas: 1 });
    const condition = { type: "StatusUpdate", status: "True", reason: "E2E" };
    const path = `/apis/apps/v1/namespaces/default/${plural}/w/status`;
    const headers = { "content-type": "application/merge-patch+json" };
    await api.call("PATCH", path, { body: { status: { conditions: [condition] } }, headers });
    await api.host.advance(10);
    for (const { metadata } of pods(api))
      api.scope.store.update("pods", "default", metadata.name, (pod) => ({ ...pod, status: { phase: "Running" } }));
    await api.host.advance(10);
    expect(JSON.parse(await (await api.call("GET", path)).text()).status.conditions).toContainEqual(
      expect.objectContaining(condition),
    );
  });
});
