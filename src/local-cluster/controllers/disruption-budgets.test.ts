import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../test-api.ts";

const namespace = "/api/v1/namespaces/default";

async function budget(api: TestApi, spec: object): Promise<void> {
  const selector = { matchLabels: { app: "x" } };
  const object = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b" },
    spec: { selector, ...spec },
  };
  await api.call("POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets", { body: object });
  await api.host.advance(1);
}

function pod(api: TestApi, name: string, isReady = true): void {
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
  api.put("pods", {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default", labels: { app: "x" } } },
    ...{ spec: { containers: [] }, status: { phase: "Running", conditions } },
  });
}

async function evict(api: TestApi, name: string) {
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
  const response = await api.call("POST", `${namespace}/pods/${name}/eviction`, { body });
  await api.host.advance(1);
  return { status: response.status, body: JSON.parse(await response.text()) };
}

describe("a disruption budget", () => {
  test("allows disruptions one after the other", async () => {
    const api = testApi();
    for (const name of ["p", "q"]) pod(api, name);
    await budget(api, { minAvailable: 1 });
    expect(api.scope.store.get("poddisruptionbudgets.policy", "default", "b")).toMatchObject({
      status: { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 },
    });
    expect((await evict(api, "p")).status).toBe(201);
    const rejected = await evict(api, "q");
    expect(rejected).toMatchObject({
      status: 429,
      body: {
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: {
          causes: [{ message: "The disruption budget b needs 1 healthy pods and has 1 currently" }],
        },
      },
    });
  });

  test("counts a pod with an accepted eviction as disrupted, for at most two minutes", async () => {
    const api = testApi();
    for (const name of ["p", "q"]) pod(api, name);
    await budget(api, { minAvailable: 1 });
    const disruptedPods = { p: "2026-01-02T03:04:05Z", gone: "2026-01-02T03:04:05Z" };
    const path = "/apis/policy/v1/namespaces/default/poddisruptionbudgets/b/status";
    const headers = { "content-type": "application/merge-patch+json" };
    await api.call("PATCH", path, { body: { status: { disruptedPods } }, headers });
    await api.host.advance(1);
    const status = async () => JSON.parse(await (await api.call("GET", path)).text()).status;
    expect(await status()).toMatchObject({ currentHealthy: 1, disruptedPods: { p: disruptedPods.p } });
    expect((await status()).disruptedPods).not.toHaveProperty("gone");
    await api.host.advance(120_000);
    expect(await status()).toMatchObject({ currentHealthy: 2 });
    expect(await status()).not.toHaveProperty("disruptedPods");
  });

  test("does not protect pods that are not ready", async () => {
    const api = testApi();
    pod(api, "p");
    pod(api, "q", false);
    await budget(api, { minAvailable: 1 });
    expect((await evict(api, "q")).status).toBe(201);
  });
});

test("an aggregated role has the rules of the selected roles", async () => {
  const api = testApi();
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { part: "yes" } }] };
  await api.call("POST", path, {
    body: { apiVersion, kind: "ClusterRole", metadata: { name: "sum" }, aggregationRule },
  });
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const metadata = { name: "part", labels: { part: "yes" } };
  await api.call("POST", path, { body: { apiVersion, kind: "ClusterRole", metadata, rules } });
  await api.host.advance(1);
  expect(api.scope.store.get("clusterroles.rbac.authorization.k8s.io", undefined, "sum")).toMatchObject({
    rules,
  });
});
