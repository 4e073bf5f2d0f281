import { describe, expect, test } from "vitest";
import { anyRule, type WebhookApi, webhookApi } from "../admission/webhooks/test-webhooks.ts";
import { configMap, configMapsPath, mergePatch, namespacePath, newConfigMap, sendRequest } from "../test-requests.ts";

const path = `${configMapsPath}/c`;
const store = (api: WebhookApi) => api.scope.store;

/** Returns an API with the ConfigMap `c`, and a webhook in whose first call another request changes something. */
async function racingApi(race: (api: WebhookApi) => void, type: "mutating" | "validating" = "validating") {
  const api = webhookApi();
  await sendRequest(api, "POST", newConfigMap);
  await api.addWebhook(type, "a", {
    respond() {
      if (api.called.length === 1) race(api);
      return { allowed: true };
    },
    fields: { rules: [anyRule({ resources: ["configmaps", "services"] })] },
  });
  return api;
}

const change = (api: WebhookApi) =>
  void store(api).update("configmaps", "default", "c", (current) => ({ ...current, data: { other: "x" } }));
const remove = (api: WebhookApi) => void store(api).remove("configmaps", "default", "c");
const stored = (api: WebhookApi) => store(api).get("configmaps", "default", "c");

describe("an object that changes while webhooks are called", () => {
  test.each(["mutating", "validating"] as const)("is patched in its new state (%s)", async (type) => {
    const api = await racingApi(change, type);
    const body = { data: { own: "y" } };
    expect((await sendRequest(api, "PATCH", { path, body, type: mergePatch })).status).toBe(200);
    expect(stored(api)).toMatchObject({ data: { other: "x", own: "y" } });
    expect(api.requests.map(({ oldObject }) => oldObject)).toMatchObject([
      { data: { k: "v" } },
      { data: { other: "x" } },
    ]);
  });

  test("is applied to in its new state", async () => {
    const api = await racingApi(change);
    const body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {own: z}\n";
    const type = "application/apply-patch+yaml";
    const { status, body: applied } = await sendRequest(api, "PATCH", { path: `${path}?fieldManager=m`, body, type });
    expect([status, applied.message]).toEqual([200, undefined]);
    expect(stored(api)).toMatchObject({ data: { other: "x", own: "z" } });
  });

  test("is replaced by an update without a resourceVersion", async () => {
    const api = await racingApi(change);
    const body = configMap({}, { data: { own: "y" } });
    expect((await sendRequest(api, "PUT", { path, body })).status).toBe(200);
    expect(stored(api)).toMatchObject({ data: { own: "y" } });
    expect(api.called.length).toBe(2);
  });

  test("rejects an update with the earlier resourceVersion", async () => {
    const api = await racingApi(change);
    const { resourceVersion } = stored(api)?.metadata ?? {};
    const { status, body } = await sendRequest(api, "PUT", { path, body: configMap({ resourceVersion }) });
    expect([status, body.message]).toEqual([409, expect.stringContaining("the object has been modified")]);
    expect(stored(api)).toMatchObject({ data: { other: "x" } });
  });

  test("is not created again by a patch if it was deleted", async () => {
    const api = await racingApi(remove);
    const patched = await sendRequest(api, "PATCH", { path, body: { data: {} }, type: mergePatch });
    expect(patched.status).toBe(404);
    expect(stored(api)).toBeUndefined();
  });

  test("is deleted in its new state, which the webhook sees", async () => {
    const api = await racingApi(change);
    expect((await sendRequest(api, "DELETE", { path })).status).toBe(200);
    expect(api.requests.map(({ oldObject }) => oldObject)).toMatchObject([{}, { data: { other: "x" } }]);
    expect(stored(api)).toBeUndefined();
  });
});

describe("an object that is created while webhooks are called", () => {
  test("is rejected if its name is used meanwhile", async () => {
    const api = await racingApi((racing) => {
      store(racing).create("configmaps", {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "d", namespace: "default" },
      });
    });
    const { status, body } = await sendRequest(api, "POST", { path: configMapsPath, body: configMap({ name: "d" }) });
    expect([status, body.message]).toEqual([409, 'configmaps "d" already exists']);
  });

  test("is rejected if its namespace is deleted meanwhile", async () => {
    const api = await racingApi((racing) => void store(racing).remove("namespaces", undefined, "n"));
    store(api).create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } });
    const namespace = "/api/v1/namespaces/n/configmaps";
    const { status, body } = await sendRequest(api, "POST", { path: namespace, body: configMap({ name: "d" }) });
    expect([status, body.message]).toEqual([404, 'namespaces "n" not found']);
    expect(store(api).get("configmaps", "n", "d")).toBeUndefined();
  });

  test("gets an address of its own although another service takes the first one", async () => {
    const service = (name: string) => ({
      ...{ apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports: [{ port: 80 }] } },
    });
    const api = await racingApi((racing) => {
      const object = racing.requests[0]?.["object"];
      store(racing).create(
        "services",
        Object.assign(structuredClone(object ?? {}), { metadata: { name: "other", namespace: "default" } }),
      );
    });
    const { status, body } = await sendRequest(api, "POST", { path: `${namespacePath}/services`, body: service("s") });
    expect(status).toBe(201);
    expect(store(api).get("services", "default", "other")).not.toMatchObject({
      spec: { clusterIP: body.spec.clusterIP },
    });
    expect(api.called.length).toBe(2);
  });
});
