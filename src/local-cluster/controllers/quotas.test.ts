import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../test-api.ts";

const namespace = "/api/v1/namespaces/default";

async function post(api: TestApi, plural: string, body: object, query = "") {
  const response = await api.call("POST", `${namespace}/${plural}${query}`, { body });
  return JSON.parse(await response.text());
}

async function limited(hard: object, spec: object = {}): Promise<TestApi> {
  const api = testApi();
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec: { hard, ...spec } };
  await post(api, "resourcequotas", quota);
  await api.host.advance(1);
  return api;
}

function pod(name: string, requests: object = {}) {
  const containers = [{ name: "a", image: "x:1", resources: { requests } }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers } };
}

function used(api: TestApi) {
  return api.scope.store.get("resourcequotas", "default", "q")?.["status"];
}

describe("a quota", () => {
  test("counts existing, new and deleted objects", async () => {
    const api = await limited({ configmaps: "5", pods: "2" });
    expect(used(api)).toEqual({ hard: { configmaps: "5", pods: "2" }, used: { configmaps: "1", pods: "0" } });
    await post(api, "pods", pod("a"));
    expect(used(api)).toMatchObject({ used: { pods: "1" } });
    await api.call("DELETE", `${namespace}/pods/a`);
    await api.host.advance(1);
    expect(used(api)).toMatchObject({ used: { pods: "0" } });
  });

  test("corrects a status that a client has written", async () => {
    const api = await limited({ pods: "1" });
    const correct = used(api);
    const path = `${namespace}/resourcequotas/q/status`;
    const headers = { "content-type": "application/merge-patch+json" };
    await api.call("PATCH", path, { body: { status: { hard: { pods: "7" } } }, headers });
    expect(used(api)).toMatchObject({ hard: { pods: "7" } });
    await api.host.advance(60_000);
    expect(used(api)).toEqual(correct);
  });

  test("rejects objects that exceed it and lists all exceeded amounts", async () => {
    const api = await limited({ "requests.cpu": "1", "requests.memory": "1Gi", pods: "1" });
    await post(api, "pods", pod("a", { cpu: "600m", memory: "1Gi" }));
    expect((await post(api, "pods", pod("b", { cpu: "500m", memory: "1" }))).message).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=500m,requests.memory=1, ' +
        "used: pods=1,requests.cpu=600m,requests.memory=1Gi, limited: pods=1,requests.cpu=1,requests.memory=1Gi",
    );
    expect(used(api)).toMatchObject({ used: { pods: "1", "requests.cpu": "600m" } });
  });

  test("requires containers to specify the limited amounts", async () => {
    const api = await limited({ "limits.memory": "1Gi" });
    expect((await post(api, "pods", pod("a"))).message).toBe(
      'pods "a" is forbidden: failed quota: q: must specify limits.memory for: a',
    );
  });

  test("does not count finished pods and dry runs", async () => {
    const api = await limited({ pods: "1", "count/pods": "2" });
    await post(api, "pods", pod("tried"), "?dryRun=All");
    await post(api, "pods", pod("a"));
    api.scope.store.update("pods", "default", "a", (current) => ({
      ...current,
      status: { phase: "Failed" },
    }));
    await api.host.advance(1);
    expect(used(api)).toMatchObject({ used: { pods: "0", "count/pods": "1" } });
  });

  test("applies only to pods in its scope", async () => {
    const api = await limited({ pods: "0" }, { scopes: ["BestEffort"] });
    expect((await post(api, "pods", pod("a", { cpu: "1" }))).kind).toBe("Pod");
    expect((await post(api, "pods", pod("b"))).message).toContain("exceeded quota: q");
  });

  test("counts other kinds by their name", async () => {
    const api = await limited({ "count/configmaps": "1", services: "0" });
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
    expect((await post(api, "configmaps", configMap)).message).toContain("used: count/configmaps=1");
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: { ports: [{ port: 1 }] },
    };
    expect((await post(api, "services", service)).message).toContain("requested: services=1");
  });
});
