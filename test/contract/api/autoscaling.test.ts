import { describe, expect, test } from "vitest";
import { targets } from "../target.ts";
import { apiNamespace } from "./api-namespace.ts";
import { applyPatch, mergePatch, table } from "./objects.ts";

type Version = "v1" | "v2";

const usage = (name: string, averageUtilization: number) => ({
  type: "Resource",
  resource: { name, target: { type: "Utilization", averageUtilization } },
});

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);
  const collection = (version: Version) =>
    `/apis/autoscaling/${version}/namespaces/${api.namespace}/horizontalpodautoscalers`;
  const autoscaler = (version: Version, spec: object = {}) => ({
    ...{ apiVersion: `autoscaling/${version}`, kind: "HorizontalPodAutoscaler", metadata: { name: "h" } },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" }, maxReplicas: 3, ...spec },
  });
  const create = (version: Version, spec?: object) =>
    api.client.call("POST", collection(version), autoscaler(version, spec));
  const get = (version: Version) => api.client.call("GET", `${collection(version)}/h`);

  test("serves both versions, and prefers the newer one", async () => {
    const { body } = await api.client.call("GET", "/apis/autoscaling");
    expect(body).toMatchObject({
      preferredVersion: { version: "v2" },
      versions: [{ version: "v2" }, { version: "v1" }],
    });
  });

  test("sets defaults", async () => {
    expect((await create("v1")).status).toBe(201);
    const { body } = await get("v2");
    expect(body.spec).toMatchObject({ minReplicas: 1, maxReplicas: 3, metrics: [usage("cpu", 80)] });
    expect(body.status).toEqual({ currentMetrics: null, desiredReplicas: 0 });
  });

  test("keeps what the older version has no field for in annotations", async () => {
    const pods = {
      type: "Pods",
      pods: { metric: { name: "rate" }, target: { type: "AverageValue", averageValue: "1500m" } },
    };
    const behavior = { scaleDown: { selectPolicy: "Disabled" } };
    await create("v2", { metrics: [usage("cpu", 50), pods], behavior });
    const { body } = await get("v1");
    expect(body.spec).toMatchObject({ targetCPUUtilizationPercentage: 50 });
    expect(body.metadata.annotations).toEqual({
      "autoscaling.alpha.kubernetes.io/metrics":
        '[{"type":"Pods","pods":{"metricName":"rate","targetAverageValue":"1500m"}}]',
      "autoscaling.alpha.kubernetes.io/behavior":
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15},{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Disabled","Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null}}',
    });
    const { resourceVersion: _, ...metadata } = body.metadata;
    const changed = { ...body, metadata, spec: { ...body.spec, maxReplicas: 9 } };
    expect((await api.client.call("PUT", `${collection("v1")}/h`, changed)).status).toBe(200);
    const after = await get("v2");
    expect(after.body.spec).toMatchObject({ maxReplicas: 9, metrics: [pods, usage("cpu", 50)], behavior });
    expect(after.body.metadata.annotations).toBeUndefined();
  });

  test("applies fields in both versions", async () => {
    const apply = (version: Version, spec: object, query = "") =>
      api.client.call(
        "PATCH",
        `${collection(version)}/h?fieldManager=m${query}`,
        autoscaler(version, spec),
        applyPatch,
      );
    expect((await apply("v2", { minReplicas: 2, metrics: [usage("cpu", 50)] })).status).toBe(201);
    expect((await apply("v1", { targetCPUUtilizationPercentage: 60 })).status).toBe(200);
    const { body } = await get("v2");
    expect(body.spec).toMatchObject({ minReplicas: 1, metrics: [usage("cpu", 60)] });
    const conflict = await api.client.call(
      "PATCH",
      `${collection("v2")}/h?fieldManager=n`,
      autoscaler("v2", { maxReplicas: 7 }),
      applyPatch,
    );
    expect([conflict.status, conflict.body.details.causes?.[0]?.field]).toEqual([409, ".spec.maxReplicas"]);
  });

  test("shows its metrics in a table, and its state in its status only", async () => {
    await create("v2", { metrics: [usage("cpu", 50), usage("memory", 60), usage("memory", 70)] });
    const status = {
      ...{ currentReplicas: 2, desiredReplicas: 3 },
      currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 40 } } }],
    };
    const ignored = await api.client.call("PATCH", `${collection("v2")}/h`, { status }, mergePatch);
    expect(ignored.body.status).toEqual({ currentMetrics: null, desiredReplicas: 0 });
    await api.client.call("PATCH", `${collection("v2")}/h/status`, { status }, mergePatch);
    const { body } = await api.client.call("GET", collection("v1"), undefined, table);
    const [row] = body.rows ?? [];
    expect(row?.cells.slice(0, 6)).toEqual([
      ...["h", "Deployment/d", "cpu: 40%/50%, memory: <unknown>/60% + 1 more...", "1", 3, 2],
    ]);
  });

  test("rejects specifications with Kubernetes' messages", async () => {
    const spec = {
      ...{ minReplicas: 0, scaleTargetRef: { kind: "Deployment", name: "d" } },
      metrics: [{ type: "Pods", resource: { name: "", target: { type: "Value" } } }],
      behavior: { scaleUp: { policies: [{ type: "X", value: 0, periodSeconds: 1801 }] } },
    };
    const { status, body } = await create("v2", spec);
    expect(status).toBe(422);
    expect(body.details.causes?.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
      "spec.metrics[0].resource.name: Required value: must specify a resource name",
      "spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization",
      "spec.metrics[0].pods: Required value: must populate information for the given metric source",
      "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas",
      'spec.behavior.scaleUp.policies[0].type: Unsupported value: "X": supported values: "Percent", "Pods"',
      "spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero",
      "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
    ]);
    const other = await api.client.call("POST", collection("v1"), autoscaler("v2"));
    const text =
      "the API version in the data (autoscaling/v2) does not match the expected API version (autoscaling/v1)";
    expect([other.status, other.body.message]).toEqual([400, text]);
  });
});
