import { describe, expect, test } from "vitest";
import { anyFields, definitionsPath, widget, widgetDefinition, widgetsPath } from "../../custom/test-definitions.ts";
import { configMap, configMapsPath, newConfigMap, newPod, sendRequest } from "../../test-requests.ts";
import { anyRule, patching, type WebhookApi, webhookApi } from "./test-webhooks.ts";

const create = (api: WebhookApi) => sendRequest(api, "POST", newConfigMap);
const label = (name: string) => ({ op: "add", path: `/metadata/labels/${name}`, value: "x" });
const noLabels = { op: "add", path: "/metadata/labels", value: {} };

describe("mutating webhooks", () => {
  test("change a new object one after the other, in the order of their configurations' names", async () => {
    const api = webhookApi();
    await api.addWebhook("mutating", "b", { respond: () => patching(label("b")) });
    await api.addWebhook("mutating", "a", { respond: () => patching(noLabels, label("a")) });
    const { status, body } = await create(api);
    expect([status, body.metadata.labels]).toEqual([201, { a: "x", b: "x" }]);
    expect(api.called).toEqual(["a", "b"]);
    expect(api.requests[1]).toMatchObject({ object: { metadata: { labels: { a: "x" } } } });
  });

  test("change a custom resource in the version that they request", async () => {
    const api = webhookApi();
    const beta = { name: "v1beta1", served: true, storage: false, schema: { openAPIV3Schema: anyFields } };
    await sendRequest(api, "POST", { path: definitionsPath, body: widgetDefinition({ versions: [beta] }) });
    await api.host.advance(1);
    const rule = { apiVersions: ["v1"], resources: ["widgets"] };
    const respond = () => patching({ op: "add", path: "/spec/b", value: 2 });
    await api.addWebhook("mutating", "a", { respond, fields: { rules: [anyRule(rule)] } });
    await api.addWebhook("mutating", "exact", { fields: { rules: [anyRule(rule)], matchPolicy: "Exact" } });
    const body = { ...widget({ spec: { a: 1 } }), apiVersion: "example.com/v1beta1" };
    const created = await sendRequest(api, "POST", { path: widgetsPath.replace("/v1/", "/v1beta1/"), body });
    expect(created).toMatchObject({ status: 201, body: { apiVersion: "example.com/v1beta1", spec: { a: 1, b: 2 } } });
    expect(api.called).toEqual(["a"]);
    expect(api.requests[0]).toMatchObject({
      kind: { group: "example.com", version: "v1", kind: "Widget" },
      requestKind: { group: "example.com", version: "v1beta1", kind: "Widget" },
      object: { apiVersion: "example.com/v1", spec: { a: 1 } },
    });
  });

  test("see the object before the server sets its identity", async () => {
    const api = webhookApi();
    await api.addWebhook("mutating", "a", {});
    const body = configMap({ name: undefined, generateName: "c-", labels: { a: "b" } }, { data: { k: "v" } });
    await sendRequest(api, "POST", { path: `${configMapsPath}?fieldManager=m&dryRun=All`, body });
    expect(api.requests).toEqual([
      {
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        resource: { group: "", version: "v1", resource: "configmaps" },
        requestKind: { group: "", version: "v1", kind: "ConfigMap" },
        requestResource: { group: "", version: "v1", resource: "configmaps" },
        ...{ namespace: "default", operation: "CREATE", dryRun: true, oldObject: null },
        userInfo: { username: "firesteel-admin", groups: ["system:masters", "system:authenticated"] },
        object: {
          ...{ apiVersion: "v1", kind: "ConfigMap", data: { k: "v" } },
          metadata: {
            ...{ generateName: "c-", namespace: "default", labels: { a: "b" } },
            managedFields: [expect.objectContaining({ manager: "m", operation: "Update" })],
          },
        },
        options: {
          ...{ kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", dryRun: ["All"], fieldManager: "m" },
        },
      },
    ]);
  });

  test("are called again if a later one changes the object and they require it", async () => {
    const api = webhookApi();
    await api.addWebhook("mutating", "a", { fields: { reinvocationPolicy: "IfNeeded" } });
    await api.addWebhook("mutating", "b", {});
    await api.addWebhook("mutating", "c", { respond: () => patching(noLabels, label("c")) });
    await create(api);
    expect(api.called).toEqual(["a", "b", "c", "a"]);
  });

  test("are not called again for their own change", async () => {
    const api = webhookApi();
    const respond = () => patching({ op: "add", path: "/data", value: { k: "w" } });
    await api.addWebhook("mutating", "a", { respond, fields: { reinvocationPolicy: "IfNeeded" } });
    await create(api);
    expect(api.called).toEqual(["a"]);
  });

  test("change an object whose fields are then completed and validated", async () => {
    const api = webhookApi();
    const sidecar = { name: "sidecar", image: "y:1" };
    const respond = () => patching({ op: "add", path: "/spec/containers/-", value: sidecar });
    await api.addWebhook("mutating", "a", { respond, fields: { rules: [anyRule({ resources: ["pods"] })] } });
    const { body } = await sendRequest(api, "POST", {
      ...newPod,
      body: { ...newPod.body, spec: { containers: [{ name: "a", image: "x:1" }] } },
    });
    expect(body.spec.containers[1]).toMatchObject({
      ...{ name: "sidecar", terminationMessagePath: "/dev/termination-log", imagePullPolicy: "IfNotPresent" },
      volumeMounts: [{ mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }],
    });
    const invalid = webhookApi();
    const unnamed = () => patching({ op: "add", path: "/spec/containers/-", value: { image: "y:1" } });
    await invalid.addWebhook("mutating", "a", {
      respond: unnamed,
      fields: { rules: [anyRule({ resources: ["pods"] })] },
    });
    const rejected = await sendRequest(invalid, "POST", {
      ...newPod,
      body: { ...newPod.body, spec: { containers: [{ name: "a", image: "x:1" }] } },
    });
    expect([rejected.status, rejected.body.message]).toEqual([
      422,
      'Pod "p" is invalid: spec.containers[1].name: Required value',
    ]);
  });

  test("cannot set the identity of an object, nor move it to another namespace", async () => {
    const api = webhookApi();
    await api.addWebhook("mutating", "a", {
      respond: () =>
        patching(
          { op: "add", path: "/metadata/uid", value: "u" },
          { op: "add", path: "/metadata/resourceVersion", value: "1" },
        ),
    });
    const { status, body } = await create(api);
    expect(status).toBe(201);
    expect(body.metadata.uid).not.toBe("u");
    const moving = webhookApi();
    await moving.addWebhook("mutating", "a", {
      respond: () => patching({ op: "replace", path: "/metadata/namespace", value: "kube-system" }),
    });
    expect((await create(moving)).body.message).toBe(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  });

  test.each<[string, object, string]>([
    ["does not fit", { op: "remove", path: "/spec/x" }, "Internal error occurred: "],
    [
      "changes the kind",
      { op: "replace", path: "/kind", value: "Secret" },
      "Internal error occurred: the result is of kind",
    ],
    [
      "yields an invalid object",
      { op: "add", path: "/data", value: 7 },
      "json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string",
    ],
  ])("fail a request if their patch %s", async (_, operation, message) => {
    const api = webhookApi();
    await api.addWebhook("mutating", "a", { respond: () => patching(operation) });
    const { status, body } = await create(api);
    expect([status, body.message]).toEqual([500, expect.stringContaining(message)]);
  });

  test("may not change an object that is deleted", async () => {
    const api = webhookApi();
    await create(api);
    await api.addWebhook("mutating", "a", { respond: () => patching(noLabels) });
    const { status, body } = await sendRequest(api, "DELETE", { path: `${configMapsPath}/c` });
    expect([status, body.message]).toEqual([
      500,
      'Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation',
    ]);
    expect(api.requests[0]).toMatchObject({
      ...{ operation: "DELETE", name: "c", object: null, oldObject: { metadata: { name: "c" } } },
      options: { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" },
    });
  });

  test("see scales, and can change them", async () => {
    const api = webhookApi();
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "x:1" }] } };
    const spec = { replicas: 1, selector: { matchLabels: { a: "b" } }, template };
    await sendRequest(api, "POST", {
      path,
      body: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" }, spec },
    });
    await api.addWebhook("mutating", "a", {
      respond: () => patching({ op: "replace", path: "/spec/replicas", value: 2 }),
      fields: { rules: [anyRule({ resources: ["deployments/scale"] })] },
    });
    const { body } = await sendRequest(api, "PATCH", {
      ...{ path: `${path}/d/scale`, body: { spec: { replicas: 5 } }, type: "application/merge-patch+json" },
    });
    expect(body.spec).toEqual({ replicas: 2 });
    expect(api.requests[0]).toMatchObject({
      kind: { group: "autoscaling", version: "v1", kind: "Scale" },
      resource: { group: "apps", version: "v1", resource: "deployments" },
      subResource: "scale",
      ...{ object: { kind: "Scale", spec: { replicas: 5 } }, oldObject: { kind: "Scale", spec: { replicas: 1 } } },
    });
  });
});
