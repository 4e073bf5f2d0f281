import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";
import { configMap, statusOf, testCall } from "../test-call.ts";
import { create } from "./create.ts";

const createMap = (api: TestApi, body: object, query = "") =>
  create(api.scope, testCall("configmaps", { body, query }));

describe("a creation", () => {
  test("sets the metadata of the server and records the manager", () => {
    const api = testApi();
    const sent = configMap("a", { data: { k: "v" } }, { uid: "mine", deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(createMap(api, sent)).toMatchObject({ type: "object", status: 201 });
    const { metadata } = api.scope.store.get("configmaps", "default", "a") ?? {};
    expect(metadata?.uid).not.toBe("mine");
    expect(metadata).not.toHaveProperty("deletionTimestamp");
    expect(metadata?.managedFields).toMatchObject([{ manager: "test", operation: "Update" }]);
  });

  test("generates a name from a prefix", async () => {
    const api = testApi();
    await createMap(api, configMap("", {}, { generateName: "p-" }));
    const names = api.scope.store.list("configmaps", "default").map(({ metadata }) => metadata.name);
    expect(names.filter((name) => /^p-[a-z0-9]{5}$/.test(name))).toHaveLength(1);
  });

  test("stores nothing on a dry run", () => {
    const api = testApi();
    expect(createMap(api, configMap("a"), "dryRun=All")).toMatchObject({ status: 201 });
    expect(api.scope.store.get("configmaps", "default", "a")).toBeUndefined();
  });

  test("adds warnings for unknown fields", async () => {
    const call = testCall("configmaps", { body: configMap("a", { extra: 1 }) });
    await create(testApi().scope, call);
    expect(call.warnings).toEqual(['unknown field "extra"']);
  });

  test.each<[object, number, string]>([
    [configMap("a"), 409, 'configmaps "a" already exists'],
    [configMap("A"), 422, 'ConfigMap "A" is invalid: metadata.name'],
    [configMap("b", {}, { namespace: "other" }), 400, "does not match the namespace sent on the request"],
    [configMap("b", {}, { resourceVersion: "1" }), 400, "resourceVersion should not be set"],
    [{ ...configMap("b"), kind: "Secret" }, 400, "unknown conversion"],
  ])("is rejected: %j", async (body, code, message) => {
    const api = testApi();
    await createMap(api, configMap("a"));
    expect(statusOf(() => createMap(api, body))).toMatchObject({
      ...{ code, message: expect.stringContaining(message) },
    });
  });
});
