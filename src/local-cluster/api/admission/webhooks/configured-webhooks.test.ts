import { describe, expect, test } from "vitest";
import {
  configMap,
  configMapsPath,
  mergePatch,
  namespacePath,
  newConfigMap,
  sendRequest,
} from "../../test-requests.ts";
import { anyRule, type WebhookApi, webhookApi } from "./test-webhooks.ts";

/** Returns an API with one webhook of each pair of fields; they are named `w0`, `w1` and so on. */
async function apiWith(...webhooks: readonly object[]): Promise<WebhookApi> {
  const api = webhookApi();
  for (const [index, fields] of webhooks.entries()) await api.addWebhook("validating", `w${index}`, { fields });
  return api;
}

const withRule = (rule: object) => ({ rules: [anyRule(rule)] });

describe("a rule matches", () => {
  test.each<[object, boolean]>([
    [{}, true],
    [{ operations: ["UPDATE", "DELETE"] }, false],
    [{ operations: ["UPDATE", "CREATE"] }, true],
    [{ apiGroups: [""] }, true],
    [{ apiGroups: ["apps"] }, false],
    [{ apiVersions: ["v1beta1"] }, false],
    [{ resources: ["*"] }, true],
    [{ resources: ["*/*"] }, true],
    [{ resources: ["pods", "configmaps/*"] }, true],
    [{ resources: ["configmaps/status"] }, false],
    [{ resources: ["*/status"] }, false],
    [{ scope: "Namespaced" }, true],
    [{ scope: "Cluster" }, false],
  ])("the creation of a ConfigMap with %j: %j", async (rule, isMatch) => {
    const api = await apiWith(withRule(rule));
    await sendRequest(api, "POST", newConfigMap);
    expect(api.called.length).toBe(Number(isMatch));
  });

  test("a status only if it names the subresource", async () => {
    const resources = [["namespaces"], ["namespaces/status"], ["namespaces/*"], ["*"], ["*/status"], ["*/*"]];
    const api = await apiWith(...resources.map((names) => withRule({ resources: names, operations: ["UPDATE"] })));
    const body = { metadata: { annotations: { a: "b" } } };
    await sendRequest(api, "PATCH", { path: `${namespacePath}/status`, body, type: mergePatch });
    expect(api.called).toEqual(["w1", "w2", "w4", "w5"]);
    expect(api.requests[0]).toMatchObject({
      ...{ operation: "UPDATE", subResource: "status", requestSubResource: "status" },
      ...{ namespace: "default", name: "default", options: { kind: "UpdateOptions" } },
    });
  });

  test("a namespace as a resource of the cluster", async () => {
    const resources = ["namespaces"];
    const api = await apiWith(withRule({ resources, scope: "Namespaced" }), withRule({ resources, scope: "Cluster" }));
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } };
    await sendRequest(api, "POST", { path: "/api/v1/namespaces", body });
    expect(api.called).toEqual(["w1"]);
    expect(api.requests[0]).toMatchObject({ namespace: "n", name: "n" });
  });

  test("an equivalent resource, unless it must match exactly", async () => {
    const rule = { apiGroups: ["events.k8s.io"], resources: ["events"], operations: ["CREATE"] };
    const api = await apiWith(withRule(rule), { ...withRule(rule), matchPolicy: "Exact" });
    const involvedObject = { kind: "Pod", namespace: "default", name: "p" };
    const body = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e" },
      involvedObject,
      reason: "R",
      message: "m",
    };
    await sendRequest(api, "POST", { path: `${namespacePath}/events`, body });
    expect(api.called).toEqual(["w0"]);
    expect(api.requests[0]).toMatchObject({
      kind: { group: "events.k8s.io", version: "v1", kind: "Event" },
      resource: { group: "events.k8s.io", version: "v1", resource: "events" },
      requestKind: { group: "", version: "v1", kind: "Event" },
      requestResource: { group: "", version: "v1", resource: "events" },
      object: { apiVersion: "events.k8s.io/v1", regarding: involvedObject, note: "m" },
    });
  });

  test("no configuration of webhooks", async () => {
    const api = await apiWith(withRule({ resources: ["*/*"] }));
    const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/w0";
    await sendRequest(api, "PATCH", { path, body: { metadata: { labels: { a: "b" } } }, type: mergePatch });
    expect((await sendRequest(api, "DELETE", { path })).status).toBe(200);
    expect(api.called).toEqual([]);
  });
});

describe("a selector", () => {
  test("matches the labels of the namespace, also those that a namespace gets", async () => {
    const namespaceSelector = { matchLabels: { a: "b" } };
    const api = await apiWith({ ...withRule({ resources: ["*"], operations: ["CREATE"] }), namespaceSelector });
    await sendRequest(api, "POST", newConfigMap);
    expect(api.called).toEqual([]);
    const metadata = { name: "n", labels: { a: "b" } };
    await sendRequest(api, "POST", {
      path: "/api/v1/namespaces",
      body: { apiVersion: "v1", kind: "Namespace", metadata },
    });
    expect(api.called).toEqual(["w0"]);
    await sendRequest(api, "POST", { path: "/api/v1/namespaces/n/configmaps", body: configMap() });
    expect(api.called).toEqual(["w0", "w0"]);
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "r" },
      rules: [],
    };
    await sendRequest(api, "POST", { path: "/apis/rbac.authorization.k8s.io/v1/clusterroles", body: role });
    expect(api.called).toEqual(["w0", "w0", "w0"]);
  });

  test("matches the labels of the new or the old object", async () => {
    const objectSelector = { matchExpressions: [{ key: "a", operator: "Exists" }] };
    const api = await apiWith({ ...withRule({}), objectSelector });
    const path = `${configMapsPath}/c`;
    const patch = (labels: object) =>
      sendRequest(api, "PATCH", { path, body: { metadata: { labels } }, type: mergePatch });
    await sendRequest(api, "POST", newConfigMap);
    expect(api.called.length).toBe(0);
    await patch({ a: "b" });
    expect(api.called.length).toBe(1);
    await patch({ a: null });
    expect(api.called.length).toBe(2);
    await patch({ c: "d" });
    expect(api.called.length).toBe(2);
  });
});
