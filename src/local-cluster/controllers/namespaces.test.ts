import { describe, expect, test } from "vitest";
import { isObject } from "../api/json.ts";
import { type TestApi, testApi, testAuthority } from "../test-api.ts";

const headers = { "content-type": "application/merge-patch+json" };

/** Creates a namespace `n` with the objects, and deletes it. */
async function terminate(objects: readonly (readonly [collection: string, object: object])[]): Promise<TestApi> {
  const api = testApi();
  await api.call("POST", "/api/v1/namespaces", {
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } },
  });
  for (const [collection, object] of objects) api.put(collection, object);
  await api.call("DELETE", "/api/v1/namespaces/n");
  await api.host.advance(1_000);
  return api;
}

function configMap(name: string, finalizers: readonly string[]) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "n", finalizers } };
}

function pod(name: string, metadata: object = {}, spec: object = {}) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "n", ...metadata },
    spec: { containers: [], ...spec },
  };
}

/** Returns the conditions as `type: status reason`. */
function conditions(api: TestApi): string[] {
  const status = api.scope.store.get("namespaces", undefined, "n")?.["status"];
  const list: { type: string; status: string; reason: string }[] = isObject(status) ? Object(status["conditions"]) : [];
  return list.map(({ type, status: value, reason }) => `${type}: ${value} ${reason}`);
}

function messages(api: TestApi): string {
  return JSON.stringify(api.scope.store.get("namespaces", undefined, "n")?.["status"]);
}

describe("a terminating namespace", () => {
  test("reports what remains in it", async () => {
    const api = await terminate([
      ["configmaps", configMap("a", ["example.com/x", "example.com/y"])],
      ["configmaps", configMap("b", ["example.com/x"])],
    ]);
    expect(conditions(api)).toEqual([
      "NamespaceDeletionDiscoveryFailure: False ResourcesDiscovered",
      "NamespaceDeletionGroupVersionParsingFailure: False ParsedGroupVersions",
      "NamespaceDeletionContentFailure: False ContentDeleted",
      "NamespaceContentRemaining: True SomeResourcesRemain",
      "NamespaceFinalizersRemaining: True SomeFinalizersRemain",
    ]);
    expect(messages(api)).toContain("Some resources are remaining: configmaps. has 2 resource instances");
    const held = "example.com/x in 2 resource instances, example.com/y in 1 resource instances";
    expect(messages(api)).toContain(`Some content in the namespace has finalizers remaining: ${held}`);
  });

  test("keeps other objects until its pods are gone", async () => {
    const map = configMap("a", []);
    const api = await terminate([
      ["pods", pod("p", { finalizers: ["example.com/x"] })],
      ["configmaps", map],
    ]);
    expect(api.scope.store.get("configmaps", "n", "a")).toBeDefined();
    api.scope.store.update("pods", "n", "p", (current) => ({
      ...current,
      metadata: { ...current.metadata, finalizers: [] },
    }));
    await api.host.advance(1);
    expect(api.scope.store.get("namespaces", undefined, "n")).toBeUndefined();
  });

  test("stays while it has finalizers of others", async () => {
    const api = testApi();
    await api.call("POST", "/api/v1/namespaces", {
      body: { metadata: { name: "n" }, spec: { finalizers: ["a.b/c"] } },
    });
    await api.call("DELETE", "/api/v1/namespaces/n");
    await api.host.advance(1_000);
    expect(api.scope.store.get("namespaces", undefined, "n")).toMatchObject({ spec: { finalizers: ["a.b/c"] } });
    expect(conditions(api)).toContain("NamespaceContentRemaining: False ContentRemoved");
  });
});

test("an edited kube-root-ca.crt is restored", async () => {
  const api = testApi();
  const path = "/api/v1/namespaces/default/configmaps/kube-root-ca.crt";
  await api.call("PATCH", path, { body: { data: { "ca.crt": "other", more: "x" } }, headers });
  await api.host.advance(1);
  const { data } = JSON.parse(await (await api.call("GET", path)).text());
  expect(data).toEqual({ "ca.crt": testAuthority.certificatePem });
});

test("a volume is kept while it is bound", async () => {
  const api = testApi();
  const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } };
  const body = { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "v" }, spec };
  await api.call("POST", "/api/v1/persistentvolumes", { body });
  const mark = (phase: string) =>
    api.scope.store.update("persistentvolumes", undefined, "v", (volume) => ({ ...volume, status: { phase } }));
  mark("Bound");
  await api.call("DELETE", "/api/v1/persistentvolumes/v");
  await api.host.advance(10_000);
  expect(api.scope.store.get("persistentvolumes", undefined, "v")).toBeDefined();
  mark("Released");
  await api.host.advance(1);
  expect(api.scope.store.get("persistentvolumes", undefined, "v")).toBeUndefined();
});

test("a circle of owners is deleted in the foreground", async () => {
  const api = testApi();
  const names = ["a", "b", "c"];
  for (const name of names)
    api.put("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } });
  const uidOf = (name: string) => api.scope.store.get("configmaps", "default", name)?.metadata.uid;
  for (const [index, name] of names.entries()) {
    const owner = names[(index + 2) % 3] ?? "";
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: owner, uid: uidOf(owner), blockOwnerDeletion: true };
    api.scope.store.update("configmaps", "default", name, (current) => ({
      ...current,
      metadata: { ...current.metadata, ownerReferences: [reference] },
    }));
  }
  const body = { propagationPolicy: "Foreground" };
  await api.call("DELETE", "/api/v1/namespaces/default/configmaps/a", { body });
  await api.host.advance(10_000);
  expect(names.map(uidOf)).toEqual([undefined, undefined, undefined]);
});
