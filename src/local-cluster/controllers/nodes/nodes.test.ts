import { expect, test } from "vitest";
import { isObject } from "../../api/json.ts";
import { type TestApi, testApi } from "../../test-api.ts";

const nodePath = "/api/v1/nodes/n1";
const patch = { headers: { "content-type": "application/merge-patch+json" } };

function apiWithNode(): TestApi {
  const api = testApi();
  api.put("nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "n1" }, spec: {}, status: {} });
  return api;
}

function putPod(api: TestApi, name: string, tolerations: readonly object[] = []): void {
  api.put("pods", {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" } },
    ...{ spec: { nodeName: "n1", containers: [{ name: "a" }], tolerations }, status: { phase: "Succeeded" } },
  });
}

const setNode = (api: TestApi, spec: object) => api.call("PATCH", nodePath, { ...patch, body: { spec } });
const exists = (api: TestApi, pod: string) => api.scope.store.get("pods", "default", pod) !== undefined;

function taints({ scope }: TestApi): unknown {
  const spec = scope.store.get("nodes", undefined, "n1")?.["spec"];
  return isObject(spec) ? spec["taints"] : undefined;
}

test("a node has a taint while it is cordoned", async () => {
  const api = apiWithNode();
  await setNode(api, { taints: [{ key: "k", effect: "NoSchedule" }], unschedulable: true });
  await api.host.advance(1);
  expect(taints(api)).toMatchObject([
    { key: "k" },
    { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule", timeAdded: "2026-01-02T03:04:05Z" },
  ]);
  await setNode(api, { unschedulable: null });
  await api.host.advance(1);
  expect(taints(api)).toEqual([{ key: "k", effect: "NoSchedule" }]);
});

test("pods that do not tolerate a node's taint are evicted immediately or after tolerationSeconds", async () => {
  const api = apiWithNode();
  const toleration = { key: "k", operator: "Equal", value: "v", effect: "NoExecute" };
  putPod(api, "none");
  putPod(api, "other", [{ ...toleration, value: "w" }]);
  putPod(api, "short", [toleration, { ...toleration, tolerationSeconds: 60 }]);
  putPod(api, "unlimited", [{ operator: "Exists" }]);
  const names = ["none", "other", "short", "unlimited"];
  await setNode(api, { taints: [{ key: "k", value: "v", effect: "NoExecute" }] });
  await api.host.advance(1);
  expect(names.filter((name) => exists(api, name))).toEqual(["short", "unlimited"]);
  await api.host.advance(60_000);
  expect(names.filter((name) => exists(api, name))).toEqual(["unlimited"]);
});

test("pods stay and an event is recorded if the taint is removed in time", async () => {
  const api = apiWithNode();
  putPod(api, "p", [{ operator: "Exists", tolerationSeconds: 60 }]);
  await setNode(api, { taints: [{ key: "k", effect: "NoExecute" }] });
  await api.host.advance(30_000);
  await setNode(api, { taints: null });
  await api.host.advance(60_000);
  expect(exists(api, "p")).toBe(true);
  expect(api.scope.store.list("events")).toMatchObject([
    { reason: "TaintManagerEviction", message: "Cancelling deletion of Pod default/p" },
  ]);
});

test("pods of a deleted node are shown as Failed and deleted if it does not come back", async () => {
  const api = apiWithNode();
  putPod(api, "ended");
  api.put("pods", {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default", finalizers: [] } },
    ...{ spec: { nodeName: "n1", containers: [{ name: "a" }] }, status: { phase: "Running" } },
  });
  const listed: unknown[] = [];
  api.scope.store.subscribe(({ type, object }) => {
    if (object.metadata.name === "p") listed.push([type, object["status"]]);
  });
  await api.call("DELETE", nodePath);
  await api.host.advance(39_999);
  expect(exists(api, "p")).toBe(true);
  await api.host.advance(1);
  expect([exists(api, "p"), exists(api, "ended")]).toEqual([false, false]);
  const failed = { phase: "Failed", conditions: [{ type: "DisruptionTarget", reason: "DeletionByPodGC" }] };
  expect(listed.at(0)).toMatchObject(["MODIFIED", failed]);
  expect(listed.at(-1)).toMatchObject(["DELETED", failed]);
});
