import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";
import { configMap, putConfigMaps, statusOf, testCall } from "../test-call.ts";
import { update } from "./update.ts";

const updateMap = (api: TestApi, body: object, query = "") =>
  update(api.scope, testCall("configmaps", { name: "a", body, query }));
const stored = (api: TestApi) => api.scope.store.get("configmaps", "default", "a");

describe("an update", () => {
  test("replaces the object and keeps its identity", () => {
    const api = testApi();
    putConfigMaps(api, "a");
    const before = stored(api);
    expect(updateMap(api, configMap("a", { data: { k: "v" } }))).toMatchObject({
      type: "object",
      status: 200,
    });
    expect(stored(api)).toMatchObject({ data: { k: "v" }, metadata: { uid: before?.metadata.uid } });
    expect(stored(api)?.metadata.resourceVersion).not.toBe(before?.metadata.resourceVersion);
  });

  test("keeps the revision if nothing changes", async () => {
    const api = testApi();
    await updateMap(apiWith(api), configMap("a", { data: { k: "v" } }));
    const revision = stored(api)?.metadata.resourceVersion;
    await updateMap(api, configMap("a", { data: { k: "v" } }));
    expect(stored(api)?.metadata.resourceVersion).toBe(revision);
  });

  test("changes nothing on a dry run", () => {
    const api = apiWith(testApi());
    expect(updateMap(api, configMap("a", { data: { k: "v" } }), "dryRun=All")).toMatchObject({ status: 200 });
    expect(stored(api)).not.toHaveProperty("data");
  });

  test("deletes a terminating object whose last finalizer it removes", () => {
    const api = testApi();
    const deletion = { deletionTimestamp: "2026-01-02T03:04:05Z", deletionGracePeriodSeconds: 0 };
    api.put("configmaps", configMap("a", {}, { finalizers: ["x/y"], ...deletion }));
    expect(updateMap(api, configMap("a"))).toMatchObject({ object: { metadata: { name: "a" } } });
    expect(stored(api)).toBeUndefined();
  });

  test.each<[object, number, string]>([
    [configMap("b"), 400, "does not match the name on the URL (a)"],
    [configMap("", {}, {}), 400, "name must be provided"],
    [configMap("a", {}, { resourceVersion: "1" }), 409, "the object has been modified"],
    [configMap("a", {}, { uid: "other" }), 409, "Precondition failed: UID in precondition: other"],
    [configMap("a", { data: { "bad key": "v" } }), 422, "data[bad key]"],
  ])("is rejected: %j", (body, code, message) => {
    const api = apiWith(testApi());
    expect(statusOf(() => updateMap(api, body))).toMatchObject({
      ...{ code, message: expect.stringContaining(message) },
    });
  });

  test("of a missing object is rejected", () => {
    expect(statusOf(() => updateMap(testApi(), configMap("a")))).toMatchObject({ code: 404 });
  });
});

function apiWith(api: TestApi): TestApi {
  putConfigMaps(api, "a");
  return api;
}
