import { describe, expect, test } from "vitest";
import { type TestApi, testApi, testAuthority } from "../test-api.ts";

const maps = "/api/v1/namespaces/default/configmaps";

function put(api: TestApi, name: string, metadata: object = {}, collection = "configmaps") {
  const kind = collection === "pods" ? "Pod" : "ConfigMap";
  return api.put(collection, {
    apiVersion: "v1",
    kind,
    metadata: { name, namespace: "default", ...metadata },
  });
}

function owner({ metadata }: ReturnType<typeof put>, more: object = {}) {
  return {
    ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: metadata.name, uid: metadata.uid, ...more }],
  };
}

function exists(api: TestApi, name: string, collection = "configmaps"): boolean {
  return api.scope.store.get(collection, "default", name) !== undefined;
}

describe("garbage collection", () => {
  test("deletes dependents of a deleted owner, and their dependents", async () => {
    const api = testApi();
    const parent = put(api, "parent");
    const child = put(api, "child", owner(parent));
    put(api, "grandchild", owner(child));
    await api.call("DELETE", `${maps}/parent`);
    expect(exists(api, "child")).toBe(true);
    await api.host.advance(1);
    expect(["parent", "child", "grandchild"].map((name) => exists(api, name))).toEqual([false, false, false]);
  });

  test("keeps objects with another owner and removes the reference", async () => {
    const api = testApi();
    const [one, two] = [put(api, "one"), put(api, "two")];
    put(api, "child", { ownerReferences: [one, two].flatMap((object) => owner(object).ownerReferences) });
    await api.call("DELETE", `${maps}/one`);
    await api.host.advance(1);
    const child = api.scope.store.get("configmaps", "default", "child");
    expect(child?.metadata.ownerReferences).toMatchObject([{ name: "two" }]);
  });

  test("waits two seconds for an unknown owner", async () => {
    const api = testApi();
    const unknown = { apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "unknown" };
    put(api, "child", { ownerReferences: [unknown] });
    await api.host.advance(1_999);
    expect(exists(api, "child")).toBe(true);
    await api.host.advance(1);
    expect(exists(api, "child")).toBe(false);
  });

  test("does not accept an owner with the same name and another uid", async () => {
    const api = testApi();
    put(api, "parent");
    put(api, "child", {
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "parent", uid: "of-before" }],
    });
    await api.host.advance(2_000);
    expect(exists(api, "child")).toBe(false);
  });

  test("deletes dependents before a foreground-deleted owner", async () => {
    const api = testApi();
    const parent = put(api, "parent");
    put(api, "held", { ...owner(parent, { blockOwnerDeletion: true }), finalizers: ["a.b/c"] });
    await api.call("DELETE", `${maps}/parent?propagationPolicy=Foreground`);
    await api.host.advance(1);
    expect([exists(api, "parent"), exists(api, "held")]).toEqual([true, true]);
    const patch = {
      body: { metadata: { finalizers: null } },
      headers: { "content-type": "application/merge-patch+json" },
    };
    await api.call("PATCH", `${maps}/held`, patch);
    await api.host.advance(1);
    expect([exists(api, "parent"), exists(api, "held")]).toEqual([false, false]);
  });

  test("keeps dependents with another owner in a foreground deletion", async () => {
    const api = testApi();
    const [one, two] = [put(api, "one"), put(api, "two")];
    const { ownerReferences: held } = owner(one, { blockOwnerDeletion: true });
    put(api, "child", { ownerReferences: [...held, ...owner(two).ownerReferences] });
    await api.call("DELETE", `${maps}/one?propagationPolicy=Foreground`);
    await api.host.advance(1);
    expect([exists(api, "one"), exists(api, "child")]).toEqual([false, true]);
    const child = api.scope.store.get("configmaps", "default", "child");
    expect(child?.metadata.ownerReferences).toMatchObject([{ name: "two" }]);
  });

  test("deletes an owner when the dependent that blocks it is no longer owned", async () => {
    const api = testApi();
    const parent = put(api, "parent");
    put(api, "held", { ...owner(parent, { blockOwnerDeletion: true }), finalizers: ["a.b/c"] });
    await api.call("DELETE", `${maps}/parent?propagationPolicy=Foreground`);
    await api.host.advance(1);
    expect(exists(api, "parent")).toBe(true);
    const headers = { "content-type": "application/merge-patch+json" };
    await api.call("PATCH", `${maps}/held`, { body: { metadata: { ownerReferences: null } }, headers });
    await api.host.advance(1);
    expect([exists(api, "parent"), exists(api, "held")]).toEqual([false, true]);
  });

  test("keeps dependents if the policy is Orphan", async () => {
    const api = testApi();
    put(api, "child", owner(put(api, "parent")));
    await api.call("DELETE", `${maps}/parent?propagationPolicy=Orphan`);
    await api.host.advance(3_000);
    expect(exists(api, "parent")).toBe(false);
    expect(api.scope.store.get("configmaps", "default", "child")?.metadata).not.toHaveProperty("ownerReferences");
  });
});

describe("a namespace", () => {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } };

  test("gets its default objects immediately, and again after their deletion", async () => {
    const api = testApi();
    await api.call("POST", "/api/v1/namespaces", { body: namespace });
    expect(api.scope.store.get("serviceaccounts", "n", "default")).toBeDefined();
    const root = api.scope.store.get("configmaps", "n", "kube-root-ca.crt");
    expect(root).toMatchObject({ data: { "ca.crt": testAuthority.certificatePem } });
    await api.call("DELETE", "/api/v1/namespaces/n/serviceaccounts/default");
    await api.host.advance(1);
    expect(api.scope.store.get("serviceaccounts", "n", "default")).toBeDefined();
  });

  test("is deleted when its contents are deleted", async () => {
    const api = testApi();
    await api.call("POST", "/api/v1/namespaces", { body: namespace });
    api.put("configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "c", namespace: "n", finalizers: ["a.b/c"] },
    });
    await api.call("DELETE", "/api/v1/namespaces/n");
    await api.host.advance(2_000);
    expect(api.scope.store.get("namespaces", undefined, "n")).toMatchObject({
      status: { phase: "Terminating" },
    });
    expect(api.scope.store.list("serviceaccounts", "n")).toEqual([]);
    api.scope.store.remove("configmaps", "n", "c");
    await api.host.advance(1);
    expect(api.scope.store.get("namespaces", undefined, "n")).toBeUndefined();
  });
});

test("a claim is kept while a pod uses it", async () => {
  const api = testApi();
  const path = "/api/v1/namespaces/default/persistentvolumeclaims";
  const claim = {
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "c" } },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  await api.call("POST", path, { body: claim });
  api.put("pods", {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default" } },
    spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] },
    status: { phase: "Running" },
  });
  await api.call("DELETE", `${path}/c`);
  await api.host.advance(1);
  expect(exists(api, "c", "persistentvolumeclaims")).toBe(true);
  api.scope.store.remove("pods", "default", "p");
  await api.host.advance(1);
  expect(exists(api, "c", "persistentvolumeclaims")).toBe(false);
});

test("events are deleted after an hour", async () => {
  const api = testApi();
  const event = {
    apiVersion: "v1",
    kind: "Event",
    lastTimestamp: new Date(api.host.clock.now()).toISOString(),
  };
  api.put("events", { ...event, metadata: { name: "e", namespace: "default" } });
  await api.host.advance(59 * 60_000);
  expect(exists(api, "e", "events")).toBe(true);
  await api.host.advance(6 * 60_000);
  expect(exists(api, "e", "events")).toBe(false);
});

describe("secrets for tokens of service accounts", () => {
  const secrets = "/api/v1/namespaces/default/secrets";
  const secret = (account: string) => ({
    ...{ apiVersion: "v1", kind: "Secret", type: "kubernetes.io/service-account-token" },
    metadata: { name: "t", annotations: { "kubernetes.io/service-account.name": account } },
  });

  test("get a token that is valid until the secret is deleted", async () => {
    const api = testApi();
    await api.call("POST", secrets, { body: secret("spark") });
    await api.host.advance(1);
    const response = await api.call("GET", `${secrets}/t`);
    const { data, metadata } = JSON.parse(await response.text());
    expect(Object.keys(data).sort()).toEqual(["ca.crt", "namespace", "token"]);
    expect(metadata.annotations).toHaveProperty(["kubernetes.io/service-account.uid"]);
    const token = Buffer.from(data.token, "base64").toString("utf8");
    const maps = "/api/v1/namespaces/default/configmaps";
    await api.host.advance(30 * 24 * 3_600_000);
    expect((await api.call("GET", maps, { token })).status).toBe(200);
    await api.call("DELETE", `${secrets}/t`);
    expect((await api.call("GET", maps, { token })).status).toBe(401);
  });

  test("are deleted with their account, and if there is none", async () => {
    const api = testApi();
    await api.call("POST", secrets, { body: secret("missing") });
    await api.host.advance(1);
    expect(exists(api, "t", "secrets")).toBe(false);
    await api.call("POST", secrets, { body: secret("spark") });
    await api.host.advance(1);
    await api.call("DELETE", "/api/v1/namespaces/default/serviceaccounts/spark");
    await api.host.advance(1);
    expect(exists(api, "t", "secrets")).toBe(false);
  });
});

test("a pod with scheduling gates has the condition SchedulingGated from the start", async () => {
  const api = testApi();
  const spec = { containers: [{ name: "a", image: "x" }], schedulingGates: [{ name: "example.com/wait" }] };
  const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec };
  const response = await api.call("POST", "/api/v1/namespaces/default/pods", { body });
  expect(JSON.parse(await response.text()).status.conditions).toMatchObject([
    { type: "PodScheduled", status: "False", reason: "SchedulingGated" },
  ]);
});
