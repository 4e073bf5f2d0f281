import { describe, expect, test } from "vitest";
import { anyRule, patching, type WebhookApi, webhookApi } from "../api/admission/webhooks/test-webhooks.ts";
import type { JsonObject } from "../api/json.ts";
import { sendRequest } from "../api/test-requests.ts";

const template = {
  metadata: { labels: { app: "x" } },
  spec: { containers: [{ name: "a", image: "x:1" }], serviceAccountName: "spark" },
};

async function createSet(api: WebhookApi, replicas: number): Promise<void> {
  const spec = { replicas, selector: { matchLabels: { app: "x" } }, template };
  const body = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "r" }, spec };
  const path = "/apis/apps/v1/namespaces/default/replicasets";
  expect((await sendRequest(api, "POST", { path, body })).status).toBe(201);
}

const podRules = { rules: [anyRule({ resources: ["pods"], operations: ["CREATE"] })] };
const pods = ({ scope }: WebhookApi) => scope.store.list("pods", "default");
const events = ({ scope }: WebhookApi, reason: string) =>
  scope.store.list("events", "default").filter((event) => event["reason"] === reason);

/** Lets the controllers work until nothing changes any more. */
async function settle(api: WebhookApi): Promise<void> {
  for (let round = 0; round < 20; round += 1) await api.host.advance(1);
}

const labeling = () => patching({ op: "add", path: "/metadata/labels/injected", value: "x" });

describe("pods that a controller creates", () => {
  test("are admitted by webhooks, each once", async () => {
    const api = webhookApi();
    await api.addWebhook("mutating", "a", { respond: labeling, fields: podRules });
    await api.addWebhook("validating", "b", { fields: podRules });
    await createSet(api, 3);
    await settle(api);
    expect(pods(api).map(({ metadata }) => metadata.labels)).toEqual(
      Array.from({ length: 3 }, () => ({ app: "x", injected: "x" })),
    );
    expect(api.called).toEqual(["a", "b", "a", "b", "a", "b"]);
    expect(api.requests[0]).toMatchObject({ userInfo: { username: "system:kube-controller-manager" } });
    expect(events(api, "SuccessfulCreate").length).toBe(3);
  });

  test("are created again after a webhook has denied them, with an event", async () => {
    const api = webhookApi();
    let isAllowed = false;
    const respond = () => ({ allowed: isAllowed, status: { message: "not yet" } });
    await api.addWebhook("validating", "a", { respond, fields: podRules });
    await createSet(api, 1);
    await settle(api);
    expect(pods(api)).toEqual([]);
    expect(events(api, "FailedCreate")).toMatchObject([
      { message: 'Error creating: admission webhook "a.example.com" denied the request: not yet' },
    ]);
    isAllowed = true;
    await api.host.advance(10_000);
    await settle(api);
    expect(pods(api).length).toBe(1);
  });

  test("are not created if they are no longer needed when the webhook responds", async () => {
    const api = webhookApi();
    let respond = (_: JsonObject) => {};
    const responded = new Promise<JsonObject>((resolve) => {
      respond = resolve;
    });
    await api.addWebhook("mutating", "a", { respond: () => responded, fields: podRules });
    await createSet(api, 1);
    await settle(api);
    expect(api.called).toEqual(["a"]);
    api.scope.store.update("replicasets.apps", "default", "r", (set) => ({ ...set, spec: { replicas: 0, template } }));
    await settle(api);
    respond({ allowed: true });
    await settle(api);
    expect(pods(api)).toEqual([]);
    expect(api.called).toEqual(["a"]);
  });
});
