import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json.ts";
import { newConfigMap, sendRequest } from "../../test-requests.ts";
import { patching, type WebhookApi, webhookApi } from "./test-webhooks.ts";

const create = (api: WebhookApi, query = "") =>
  sendRequest(api, "POST", { ...newConfigMap, path: `${newConfigMap.path}${query}` });

const review = (response: object) =>
  JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response });

describe("a validating webhook", () => {
  test.each<[JsonObject, number, string]>([
    [{}, 400, "without explanation"],
    [{ message: "no maps" }, 400, ": no maps"],
    [{ reason: "Conflict", code: 409 }, 409, ": Conflict"],
    [{ message: "no maps", code: 200, status: "Success" }, 400, ": no maps"],
  ])("denies a request with its status %j", async (status, code, explanation) => {
    const api = webhookApi();
    await api.addWebhook("validating", "a", { respond: () => ({ allowed: false, status }) });
    const { status: found, body } = await create(api);
    expect([found, body.code, body.status, body.message]).toEqual([
      ...[code, code, "Failure"],
      `admission webhook "a.example.com" denied the request${explanation.startsWith(":") ? "" : " "}${explanation}`,
    ]);
    expect(api.scope.store.get("configmaps", "default", "c")).toBeUndefined();
  });

  test("sees the object as it is stored, with a generated name", async () => {
    const api = webhookApi();
    await api.addWebhook("validating", "a", {});
    const { body } = await sendRequest(api, "POST", {
      ...newConfigMap,
      body: { ...newConfigMap.body, metadata: { generateName: "c-" } },
    });
    expect(api.requests[0]).toMatchObject({
      ...{ name: body.metadata.name, object: { metadata: { name: body.metadata.name, uid: body.metadata.uid } } },
    });
  });

  test("adds warnings to the response", async () => {
    const api = webhookApi();
    await api.addWebhook("validating", "a", { respond: () => ({ allowed: true, warnings: ["old"] }) });
    expect((await create(api)).headers["warning"]).toBe('299 - "old"');
  });

  test.each<[string, string, string]>([
    ["no response", review({}).replace('"response":{}', '"x":1'), "webhook response was absent"],
    ["another uid", review({ uid: "u", allowed: true }), 'expected response.uid="'],
  ])("fails with %s", async (_, response, message) => {
    const api = webhookApi();
    await api.addWebhook("validating", "a", { respond: () => response });
    const { status, body } = await create(api);
    expect([status, body.message]).toEqual([
      500,
      expect.stringContaining(
        `Internal error occurred: failed calling webhook "a.example.com": received invalid webhook response: ${message}`,
      ),
    ]);
  });

  test.each<[JsonObject, string]>([
    [{ allowed: true, patch: "W10=" }, "validating webhook may not return response.patch"],
    [{ allowed: true, patchType: "JSONPatch" }, "validating webhook may not return response.patchType"],
  ])("may not return a patch: %j", async (response, message) => {
    const api = webhookApi();
    await api.addWebhook("validating", "a", { respond: () => response });
    expect((await create(api)).body.message).toContain(message);
  });

  test("fails with a review of another version", async () => {
    const api = webhookApi();
    const respond = ({ uid }: { readonly uid: string }) =>
      review({ uid, allowed: true }).replace("admission.k8s.io/v1", "admission.k8s.io/v1beta1");
    await api.addWebhook("validating", "a", { respond });
    expect((await create(api)).body.message).toContain(
      "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1beta1, Kind=AdmissionReview",
    );
  });

  test("is called in parallel with others, and the first denial counts", async () => {
    const api = webhookApi();
    const started: string[] = [];
    let release = () => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    await api.addWebhook("validating", "a", {
      async respond() {
        started.push("a");
        await waiting;
        return { allowed: false, status: { message: "late" } };
      },
    });
    await api.addWebhook("validating", "b", {
      respond() {
        started.push("b");
        setImmediate(release);
        return { allowed: false, status: { message: "early" } };
      },
    });
    expect((await create(api)).body.message).toContain("early");
    expect(started).toEqual(["a", "b"]);
  });
});

describe("a failing webhook", () => {
  const respond = () => Promise.reject(new Error("failed to call webhook: it is down"));

  test("fails the request by default", async () => {
    const api = webhookApi();
    await api.addWebhook("mutating", "a", { respond });
    const { status, body } = await create(api);
    expect([status, body.reason, body.message]).toEqual([
      ...[500, "InternalError"],
      'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: it is down',
    ]);
  });

  test("is ignored with the policy Ignore", async () => {
    const api = webhookApi();
    await api.addWebhook("mutating", "a", { respond, fields: { failurePolicy: "Ignore" } });
    await api.addWebhook("validating", "b", { respond, fields: { failurePolicy: "Ignore" } });
    expect((await create(api)).status).toBe(201);
    expect(api.called).toEqual(["a", "b"]);
  });

  test("expires the request after 34 s, whatever its policy", async () => {
    const api = webhookApi();
    await api.addWebhook("mutating", "a", {
      async respond() {
        await api.host.advance(34_000);
        return await respond();
      },
      fields: { failurePolicy: "Ignore" },
    });
    const { status, body } = await create(api);
    expect([status, body.message]).toEqual([504, "Timeout: request did not complete within requested timeout"]);
  });
});

describe("a dry run", () => {
  test("is rejected by a stored webhook with side effects, and marked for others", async () => {
    const api = webhookApi();
    await api.addWebhook("validating", "a", { fields: { sideEffects: "NoneOnDryRun" } });
    expect((await create(api, "?dryRun=All")).status).toBe(201);
    expect(api.requests[0]).toMatchObject({ dryRun: true });
    const collection = "validatingwebhookconfigurations.admissionregistration.k8s.io";
    api.scope.store.update(collection, undefined, "a", (stored) => {
      const [webhook] = Array.isArray(stored["webhooks"]) ? stored["webhooks"] : [];
      return { ...stored, webhooks: [{ ...webhook, sideEffects: "Some" }] };
    });
    const { status, body } = await create(api, "?dryRun=All");
    expect([status, body.message]).toEqual([400, 'admission webhook "a.example.com" does not support dry run']);
    expect((await create(api)).status).toBe(201);
  });
});

describe("a response with a patch", () => {
  test.each<[JsonObject, string]>([
    [{ allowed: true, patch: "W10=" }, "webhook returned response.patch but not response.patchType"],
    [{ allowed: true, patchType: "JSONPatch" }, "webhook returned response.patchType but not response.patch"],
    [{ ...patching({ op: "test", path: "", value: {} }), patchType: "Merge" }, 'unsupported patch type "Merge"'],
    [{ allowed: true, patchType: "JSONPatch", patch: "e30=" }, "received undecodable patch in webhook response: "],
  ])("is not valid: %j", async (response, message) => {
    const api = webhookApi();
    await api.addWebhook("mutating", "a", { respond: () => response });
    const { status, body } = await create(api);
    expect([status, body.message]).toEqual([500, expect.stringContaining(message)]);
  });
});
