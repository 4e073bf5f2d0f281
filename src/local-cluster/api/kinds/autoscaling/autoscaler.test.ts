import { expect, test } from "vitest";
import { testApi } from "../../../test-api.ts";
import { mergePatch, sendRequest } from "../../test-requests.ts";

const path = (version: "v1" | "v2", name?: string) =>
  `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers${name === undefined ? "" : `/${name}`}`;

const autoscaler = (version: "v1" | "v2", spec: object = {}) => ({
  ...{ apiVersion: `autoscaling/${version}`, kind: "HorizontalPodAutoscaler", metadata: { name: "h" } },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" }, maxReplicas: 3, ...spec },
});

const usage = (name: string, averageUtilization: number) => ({
  type: "Resource",
  resource: { name, target: { type: "Utilization", averageUtilization } },
});

test("an autoscaler of the old version is one of the new version with the CPU as its metric", async () => {
  const api = testApi();
  const old = autoscaler("v1", { targetCPUUtilizationPercentage: 50 });
  const created = await sendRequest(api, "POST", { path: path("v1"), body: old });
  expect(created).toMatchObject({
    status: 201,
    body: {
      apiVersion: "autoscaling/v1",
      spec: { minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    },
  });
  const { body } = await sendRequest(api, "GET", { path: path("v2", "h") });
  expect(body).toMatchObject({ apiVersion: "autoscaling/v2", spec: { minReplicas: 1, metrics: [usage("cpu", 50)] } });
});

test.each(["v1", "v2"] as const)("the default metric in %s is 80 percent of the CPU", async (version) => {
  const api = testApi();
  await sendRequest(api, "POST", { path: path(version), body: autoscaler(version) });
  const { body } = await sendRequest(api, "GET", { path: path("v2", "h") });
  expect(body.spec.metrics).toEqual([usage("cpu", 80)]);
});

test("a change by the old version keeps what only the new version has", async () => {
  const api = testApi();
  const metrics = [
    usage("memory", 60),
    usage("cpu", 50),
    {
      type: "Object",
      object: {
        describedObject: { apiVersion: "v1", kind: "Service", name: "s" },
        metric: { name: "requests", selector: { matchLabels: { a: "b" } } },
        target: { type: "Value", value: "5" },
      },
    },
    { type: "Pods", pods: { metric: { name: "rate" }, target: { type: "AverageValue", averageValue: "1500m" } } },
    { type: "External", external: { metric: { name: "length" }, target: { type: "Value", value: "2k" } } },
    {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "a", target: { type: "AverageValue", averageValue: "100m" } },
    },
  ];
  const behavior = { scaleDown: { selectPolicy: "Disabled", tolerance: "50m" } };
  await sendRequest(api, "POST", { path: path("v2"), body: autoscaler("v2", { metrics, behavior }) });
  const before = await sendRequest(api, "GET", { path: path("v2", "h") });
  const old = await sendRequest(api, "GET", { path: path("v1", "h") });
  expect(old.body.spec).toEqual({ ...autoscaler("v1").spec, minReplicas: 1, targetCPUUtilizationPercentage: 50 });
  expect(old.body.metadata.annotations["autoscaling.alpha.kubernetes.io/behavior"]).toMatch(
    '"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Disabled","Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":"50m"}',
  );
  const changed = { ...old.body, spec: { ...old.body.spec, maxReplicas: 9 } };
  expect((await sendRequest(api, "PUT", { path: path("v1", "h"), body: changed })).status).toBe(200);
  const after = await sendRequest(api, "GET", { path: path("v2", "h") });
  // The CPU comes last, because the old version has it apart from the others.
  const [, cpu] = metrics;
  const others = before.body.spec.metrics.filter((_: object, index: number) => index !== 1);
  expect(after.body.spec).toEqual({ ...before.body.spec, maxReplicas: 9, metrics: [...others, cpu] });
  expect(after.body.metadata.annotations).toBeUndefined();
});

test("annotations that are not of a conversion are ignored by it, or kept", async () => {
  const api = testApi();
  const annotations = {
    "autoscaling.alpha.kubernetes.io/metrics": "malformed",
    "autoscaling.alpha.kubernetes.io/behavior": '{"scaleup":{"policies":[{"type":"Pods","value":"x"}]}}',
    "autoscaling.alpha.kubernetes.io/conditions": '[{"type":"AbleToScale","status":7}]',
    own: "1",
  };
  const body = { ...autoscaler("v1"), metadata: { name: "h", annotations } };
  expect((await sendRequest(api, "POST", { path: path("v1"), body })).status).toBe(201);
  const stored = await sendRequest(api, "GET", { path: path("v2", "h") });
  expect(stored.body).toMatchObject({ metadata: { annotations: { own: "1" } }, spec: { metrics: [usage("cpu", 80)] } });
  expect(stored.body.spec.behavior).toBeUndefined();
});

test("the status of the new version is in the old one", async () => {
  const api = testApi();
  await sendRequest(api, "POST", { path: path("v2"), body: autoscaler("v2") });
  const status = {
    ...{ currentReplicas: 2, desiredReplicas: 3 },
    conditions: [{ type: "AbleToScale", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" }],
    currentMetrics: [
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 40, averageValue: "1" } } },
    ],
  };
  const written = await sendRequest(api, "PATCH", {
    ...{ path: `${path("v2", "h")}/status`, type: mergePatch },
    body: { status },
  });
  expect(written.body.status).toEqual(status);
  const old = await sendRequest(api, "GET", { path: path("v1", "h") });
  expect(old.body.status).toEqual({ currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 40 });
  expect(JSON.parse(old.body.metadata.annotations["autoscaling.alpha.kubernetes.io/conditions"])).toEqual(
    status.conditions,
  );
});

test("managers own the fields of the version that they write", async () => {
  const api = testApi();
  await sendRequest(api, "POST", { path: `${path("v2")}?fieldManager=new`, body: autoscaler("v2") });
  await sendRequest(api, "PATCH", {
    ...{ path: `${path("v1", "h")}?fieldManager=old`, type: mergePatch },
    body: { spec: { targetCPUUtilizationPercentage: 60 } },
  });
  const { body } = await sendRequest(api, "GET", { path: path("v2", "h") });
  const owned = Object.fromEntries(
    body.metadata.managedFields.map((entry: { manager: string; apiVersion: string; fieldsV1: object }) => [
      `${entry.manager} ${entry.apiVersion}`,
      entry.fieldsV1,
    ]),
  );
  expect(owned["old autoscaling/v1"]).toEqual({ "f:spec": { "f:targetCPUUtilizationPercentage": {} } });
  expect(owned["new autoscaling/v2"]["f:spec"]).not.toHaveProperty("f:metrics");
});

test("an applied field that the manager drops in another version is removed", async () => {
  const api = testApi();
  const apply = (version: "v1" | "v2", spec: object) =>
    sendRequest(api, "PATCH", {
      ...{ path: `${path(version, "h")}?fieldManager=m`, type: "application/apply-patch+yaml" },
      body: autoscaler(version, spec),
    });
  await apply("v2", { minReplicas: 2, metrics: [usage("cpu", 50)] });
  expect((await apply("v1", { targetCPUUtilizationPercentage: 60 })).status).toBe(200);
  const { body } = await sendRequest(api, "GET", { path: path("v2", "h") });
  expect(body.spec).toMatchObject({ minReplicas: 1, metrics: [usage("cpu", 60)] });
  expect(body.metadata.managedFields).toHaveLength(1);
});

test.each<[string, object, string]>([
  ["no replicas", { maxReplicas: 0 }, "spec.maxReplicas: Invalid value: 0: must be greater than 0"],
  [
    "fewer than one replica",
    { minReplicas: 0 },
    "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
  ],
  [
    "more at least than at most",
    { minReplicas: 4 },
    "spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`",
  ],
  [
    "a target without an API group",
    { scaleTargetRef: { apiVersion: "v1", kind: "Deployment", name: "d" } },
    'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group',
  ],
  [
    "a metric without its source",
    { metrics: [{ type: "Pods" }] },
    "spec.metrics[0].pods: Required value: must populate information for the given metric source",
  ],
  [
    "two sources",
    {
      metrics: [
        { ...usage("cpu", 1), pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "1" } } },
      ],
    },
    "spec.metrics[0].pods: Forbidden: must populate the given metric source only",
  ],
  [
    "an invalid policy",
    { behavior: { scaleUp: { policies: [{ type: "X", value: 0, periodSeconds: 1801 }] } } },
    'spec.behavior.scaleUp.policies[0].type: Unsupported value: "X": supported values: "Percent", "Pods"',
  ],
])("rejects %s", async (_, spec, message) => {
  const response = await sendRequest(testApi(), "POST", { path: path("v2"), body: autoscaler("v2", spec) });
  expect([response.status, response.body.message]).toEqual([422, expect.stringContaining(message)]);
});
