import { describe, expect, test } from "vitest";
import type { ResponseBody } from "../contract-client.ts";
import { targets } from "../target.ts";
import { apiNamespace, until } from "./api-namespace.ts";
import { mergePatch, table } from "./objects.ts";

const container = { name: "a", image: "busybox:1" };

/** A template of pods that the cluster's scheduler ignores. */
const jobTemplate = { spec: { restartPolicy: "Never", containers: [container], schedulerName: "absent" } };

/** Returns a condition of a status, or an empty object. */
function conditionOf({ status }: ResponseBody, type: string): { readonly status?: string; readonly reason?: string } {
  const conditions = typeof status === "object" ? status["conditions"] : [];
  return Array.isArray(conditions) ? (conditions.find((one) => one.type === type) ?? {}) : {};
}

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);
  const pathOf = (group: string, plural: string) => `/apis/${group}/v1/namespaces/${api.namespace}/${plural}`;

  describe("a Job", () => {
    const create = (spec: object) =>
      api.client.call("POST", pathOf("batch", "jobs"), {
        ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" } },
        spec: { template: jobTemplate, ...spec },
      });
    const get = () => api.client.call("GET", `${pathOf("batch", "jobs")}/j`);

    test("has defaults that depend on its policies", async () => {
      const rules = [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }];
      const indexed = { completionMode: "Indexed", completions: 2, backoffLimitPerIndex: 1 };
      const { body } = await create({ ...indexed, podFailurePolicy: { rules } });
      expect(body.spec).toMatchObject({
        backoffLimit: 2_147_483_647,
        podReplacementPolicy: "Failed",
        podFailurePolicy: { rules: [{ onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }] },
      });
    });

    test("with invalid policies is rejected with one cause each", async () => {
      const rules = [{ action: "FailIndex", onExitCodes: { operator: "In", values: [0] } }];
      const { status, body } = await create({ maxFailedIndexes: 1, podFailurePolicy: { rules } });
      expect(status).toBe(422);
      expect((body.details.causes ?? []).map(({ field }) => field).sort()).toEqual([
        "spec.backoffLimitPerIndex",
        "spec.maxFailedIndexes",
        "spec.podFailurePolicy.rules[0].action",
        "spec.podFailurePolicy.rules[0].onExitCodes.values[0]",
      ]);
    });

    test("ends when its pods have succeeded", async () => {
      await create({});
      const pods = await until(
        () => api.client.call("GET", `${api.base}/pods`),
        ({ body }) => body.items.length === 1,
      );
      const name = pods.body.items[0]?.metadata.name ?? "";
      expect(pods.body.items[0]?.metadata.finalizers).toEqual(["batch.kubernetes.io/job-tracking"]);
      await api.client.call("PATCH", `${api.base}/pods/${name}/status`, { status: { phase: "Succeeded" } }, mergePatch);
      const { body } = await until(get, (job) => conditionOf(job.body, "Complete").status === "True");
      expect(conditionOf(body, "Complete")).toMatchObject({ reason: "CompletionsReached" });
      expect(conditionOf(body, "SuccessCriteriaMet")).toMatchObject({ reason: "CompletionsReached" });
      expect(body.status).toMatchObject({ succeeded: 1, terminating: 0, uncountedTerminatedPods: {} });
    });

    test("leaves no finalizer on its pods after its deletion", async () => {
      await create({ parallelism: 2 });
      const list = () => api.client.call("GET", `${api.base}/pods`);
      await until(list, ({ body }) => body.items.length === 2);
      await api.client.call("DELETE", `${pathOf("batch", "jobs")}/j`, { propagationPolicy: "Background" });
      const { body } = await until(list, (pods) => pods.body.items.length === 0);
      expect(body.items).toEqual([]);
    });

    test("keeps its policies", async () => {
      await create({ completionMode: "Indexed", completions: 2, suspend: true });
      const spec = { backoffLimitPerIndex: 1, completions: 3, managedBy: "example.com/x" };
      const { body } = await api.client.call("PATCH", `${pathOf("batch", "jobs")}/j`, { spec }, mergePatch);
      expect((body.details.causes ?? []).map(({ field }) => field).sort()).toEqual([
        "spec.backoffLimitPerIndex",
        "spec.completions",
        "spec.managedBy",
      ]);
    });
  });

  describe("a CronJob", () => {
    const path = () => pathOf("batch", "cronjobs");
    const create = (spec: object) =>
      api.client.call("POST", path(), {
        ...{ apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "c" } },
        spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { template: jobTemplate } }, ...spec },
      });

    test("has defaults and columns", async () => {
      const { body } = await create({ timeZone: "Europe/Berlin" });
      expect(body.spec).toMatchObject({
        ...{ concurrencyPolicy: "Allow", suspend: false },
        ...{ successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
      });
      const { body: shown } = await api.client.call("GET", path(), undefined, table);
      expect(shown.rows[0]?.cells.slice(0, 6)).toEqual(["c", "0 0 1 1 *", "Europe/Berlin", "False", 0, "<none>"]);
    });

    test.each([
      [{ schedule: "61 * * * *" }, "end of range (61) above maximum (59): 61"],
      [{ schedule: "* * * *" }, "expected exactly 5 fields, found 4: [* * * *]"],
      [{ schedule: "TZ=UTC 0 0 * * *" }, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"],
      [{ timeZone: "Mars/Base" }, "unknown time zone Mars/Base"],
      [{ concurrencyPolicy: "Maybe" }, 'supported values: "Allow", "Forbid", "Replace"'],
    ])("with an invalid spec is rejected: %j", async (spec, message) => {
      const { status, body } = await create(spec);
      expect(status).toBe(422);
      expect(body.message).toContain(message);
    });
  });

  describe("a DaemonSet", () => {
    const path = () => pathOf("apps", "daemonsets");
    const template = { metadata: { labels: { app: "d" } }, spec: { containers: [container] } };
    const selector = { matchLabels: { app: "d" } };
    const create = (spec: object) =>
      api.client.call("POST", path(), {
        ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "d" } },
        spec: { selector, template, ...spec },
      });

    test("has defaults and a revision of its template", async () => {
      const { body } = await create({});
      expect(body.spec).toMatchObject({
        revisionHistoryLimit: 10,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      });
      expect(body.metadata.annotations).toEqual({ "deprecated.daemonset.template.generation": "1" });
      const revisions = await until(
        () => api.client.call("GET", pathOf("apps", "controllerrevisions")),
        (list) => list.body.items.length > 0,
      );
      expect(revisions.body.items[0]?.metadata).toMatchObject({
        labels: { app: "d", "controller-revision-hash": expect.any(String) },
        ownerReferences: [{ kind: "DaemonSet", name: "d" }],
      });
    });

    test("with an invalid strategy is rejected", async () => {
      const rollingUpdate = { maxSurge: 1, maxUnavailable: 1 };
      const { body } = await create({ updateStrategy: { type: "RollingUpdate", rollingUpdate } });
      expect(body.details.causes?.map(({ field }) => field)).toEqual(["spec.updateStrategy.rollingUpdate.maxSurge"]);
    });
  });

  describe("a ReplicaSet", () => {
    test("adopts a pod without a controller", async () => {
      const labels = { app: "r" };
      const spec = { containers: [container], schedulerName: "absent" };
      await api.client.call("POST", `${api.base}/pods`, { metadata: { name: "p", labels }, spec });
      await api.client.call("POST", pathOf("apps", "replicasets"), {
        ...{ apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "r" } },
        spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      });
      const { body } = await until(
        () => api.client.call("GET", `${api.base}/pods/p`),
        (pod) => pod.body.metadata.ownerReferences !== undefined,
      );
      expect(body.metadata.ownerReferences).toMatchObject([{ kind: "ReplicaSet", name: "r", controller: true }]);
    });
  });

  describe("custom Endpoints", () => {
    test("are mirrored to an EndpointSlice", async () => {
      const ports = [{ port: 80 }];
      await api.client.call("POST", `${api.base}/services`, { metadata: { name: "s" }, spec: { ports } });
      const subsets = [{ addresses: [{ ip: "10.1.2.3" }], ports }];
      await api.client.call("POST", `${api.base}/endpoints`, { metadata: { name: "s" }, subsets });
      const { body } = await until(
        () => api.client.call("GET", pathOf("discovery.k8s.io", "endpointslices")),
        (list) => list.body.items.length > 0,
      );
      expect(body.items).toMatchObject([
        {
          metadata: {
            labels: {
              "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
              "kubernetes.io/service-name": "s",
            },
            ownerReferences: [{ kind: "Endpoints", name: "s" }],
          },
          endpoints: [{ addresses: ["10.1.2.3"], conditions: { ready: true } }],
        },
      ]);
    });
  });

  test("a terminating namespace reports what its finalizers hold", async () => {
    const finalizers = ["example.com/x"];
    await api.client.call("POST", `${api.base}/configmaps`, { metadata: { name: "m", finalizers } });
    const path = `/api/v1/namespaces/${api.namespace}`;
    await api.client.call("DELETE", path);
    const { body } = await until(
      () => api.client.call("GET", path),
      (namespace) => conditionOf(namespace.body, "NamespaceFinalizersRemaining").status === "True",
    );
    expect(conditionOf(body, "NamespaceContentRemaining")).toMatchObject({
      message: "Some resources are remaining: configmaps. has 1 resource instances",
    });
    await api.client.call("PATCH", `${api.base}/configmaps/m`, { metadata: { finalizers: null } }, mergePatch);
    expect(
      (
        await until(
          () => api.client.call("GET", path),
          ({ status }) => status === 404,
        )
      ).status,
    ).toBe(404);
  });
});
