import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";
import { configMap, putConfigMaps, statusOf, testCall } from "../test-call.ts";
import { deleteCollection, deleteOne } from "./delete.ts";

const deleteMap = (api: TestApi, options: { query?: string; body?: object } = {}) =>
  deleteOne(api.scope, testCall("configmaps", { name: "a", ...options }));
const stored = (api: TestApi, name = "a") => api.scope.store.get("configmaps", "default", name);

function apiWithMap(metadata: object = {}): TestApi {
  const api = testApi();
  api.put("configmaps", configMap("a", {}, metadata));
  return api;
}

describe("a deletion", () => {
  test("removes the object and responds with a Status", () => {
    const api = apiWithMap();
    expect(deleteMap(api)).toMatchObject({
      ...{
        status: 200,
        object: { kind: "Status", status: "Success", details: { name: "a", kind: "configmaps" } },
      },
    });
    expect(stored(api)).toBeUndefined();
  });

  test("marks an object with finalizers as terminating", () => {
    const api = apiWithMap({ finalizers: ["x/y"] });
    expect(deleteMap(api)).toMatchObject({ object: { kind: "ConfigMap" } });
    expect(stored(api)?.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: ["x/y"] });
    expect(stored(api)?.metadata.deletionTimestamp).toBeDefined();
  });

  test.each([
    ["Foreground", ["foregroundDeletion"]],
    ["Orphan", ["orphan"]],
  ])("adds the garbage collector's finalizer for %s", async (propagationPolicy, finalizers) => {
    const api = apiWithMap();
    await deleteMap(api, { body: { propagationPolicy } });
    expect(stored(api)?.metadata.finalizers).toEqual(finalizers);
  });

  test("changes nothing on a dry run", async () => {
    const api = apiWithMap();
    await deleteMap(api, { query: "dryRun=All" });
    expect(stored(api)?.metadata).not.toHaveProperty("deletionTimestamp");
  });

  test("checks preconditions", () => {
    const api = apiWithMap();
    expect(statusOf(() => deleteMap(api, { body: { preconditions: { uid: "other" } } }))).toMatchObject({
      ...{
        code: 409,
        message: expect.stringContaining("the UID in the precondition (other) does not match"),
      },
    });
    expect(statusOf(() => deleteMap(api, { body: { preconditions: { resourceVersion: "1" } } }))).toMatchObject({
      code: 409,
    });
    expect(stored(api)).toBeDefined();
  });

  test("of a pod on a node waits for its grace period, which a second request can only shorten", async () => {
    const api = testApi();
    api.put("pods", {
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default" } },
      ...{
        spec: { nodeName: "n", containers: [], terminationGracePeriodSeconds: 20 },
        status: { phase: "Running" },
      },
    });
    const graceAfter = async (query: string) => {
      await deleteOne(api.scope, testCall("pods", { name: "p", query }));
      return api.scope.store.get("pods", "default", "p")?.metadata.deletionGracePeriodSeconds;
    };
    expect(await graceAfter("")).toBe(20);
    expect(await graceAfter("gracePeriodSeconds=60")).toBe(20);
    expect(await graceAfter("gracePeriodSeconds=5")).toBe(5);
  });

  test("of a protected namespace is rejected", () => {
    const call = testCall("namespaces", { name: "kube-system" });
    expect(statusOf(() => deleteOne(testApi().scope, call))).toMatchObject({ code: 403 });
  });
});

test("a deletion of a collection removes the selected objects and returns their previous state", () => {
  const api = testApi();
  putConfigMaps(api, "a", "b");
  api.put("configmaps", configMap("c", {}, { labels: { x: "y" } }));
  const result = deleteCollection(api.scope, testCall("configmaps", { query: "labelSelector=x" }));
  expect(result).toMatchObject({ type: "list", items: [{ metadata: { name: "c" } }] });
  expect(["a", "b", "c"].map((name) => stored(api, name) !== undefined)).toEqual([true, true, false]);
});
