import { describe, expect, test } from "vitest";
import { anyRule, patching, webhookApi } from "../admission/webhooks/test-webhooks.ts";
import { namespacePath, newPod, sendRequest } from "../test-requests.ts";

const resources = (...names: readonly string[]) => ({ rules: [anyRule({ resources: names })] });

describe("webhooks admit", () => {
  test("a binding, and may choose another node", async () => {
    const api = webhookApi();
    await sendRequest(api, "POST", newPod);
    const respond = () => patching({ op: "replace", path: "/target/name", value: "m" });
    await api.addWebhook("mutating", "a", { respond, fields: resources("pods/binding") });
    const body = { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target: { kind: "Node", name: "n" } };
    expect((await sendRequest(api, "POST", { path: `${namespacePath}/pods/p/binding`, body })).status).toBe(201);
    expect(api.scope.store.get("pods", "default", "p")).toMatchObject({ spec: { nodeName: "m" } });
    expect(api.requests[0]).toMatchObject({
      kind: { group: "", version: "v1", kind: "Binding" },
      resource: { group: "", version: "v1", resource: "pods" },
      ...{ subResource: "binding", operation: "CREATE", name: "p", object: { target: { name: "n" } } },
    });
  });

  test("an eviction, without the deletion that it causes", async () => {
    const api = webhookApi();
    await sendRequest(api, "POST", newPod);
    const respond = () => ({ allowed: false, status: { message: "not now", code: 429 } });
    await api.addWebhook("validating", "a", { respond, fields: resources("pods/eviction") });
    await api.addWebhook("validating", "b", { fields: resources("pods") });
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
    expect((await sendRequest(api, "POST", { path: `${namespacePath}/pods/p/eviction`, body })).status).toBe(429);
    expect(api.requests[0]).toMatchObject({ kind: { group: "policy", version: "v1", kind: "Eviction" } });
    expect(api.called).toEqual(["a"]);
  });

  test("a command in a pod", async () => {
    const api = webhookApi();
    await sendRequest(api, "POST", newPod);
    const respond = () => ({ allowed: false, status: { message: "no shells" } });
    await api.addWebhook("validating", "a", { respond, fields: resources("pods/exec") });
    const path = `${namespacePath}/pods/p/exec?command=sh&command=-c&stdin=true&stdout=true&container=a`;
    const { status, body } = await sendRequest(api, "POST", { path });
    expect([status, body.message]).toEqual([400, 'admission webhook "a.example.com" denied the request: no shells']);
    expect(api.requests[0]).toMatchObject({
      ...{ operation: "CONNECT", subResource: "exec", name: "p", options: null },
      object: {
        ...{ kind: "PodExecOptions", apiVersion: "v1", container: "a", stdin: true, stdout: true },
        command: ["sh", "-c"],
      },
    });
  });

  test("each object of a deleted collection", async () => {
    const api = webhookApi();
    await sendRequest(api, "POST", newPod);
    await api.addWebhook("validating", "a", { fields: resources("pods") });
    await sendRequest(api, "DELETE", { path: `${namespacePath}/pods` });
    expect(api.requests).toMatchObject([{ operation: "DELETE", oldObject: { metadata: { name: "p" } } }]);
    expect(api.requests[0]).not.toHaveProperty("name");
  });
});
