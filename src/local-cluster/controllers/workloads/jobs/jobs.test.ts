import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../../test-api.ts";

async function create(spec: object): Promise<TestApi> {
  const api = testApi();
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "x:1" }] } };
  const body = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" }, spec: { template, ...spec } };
  const { status } = await api.call("POST", "/apis/batch/v1/namespaces/default/jobs", { body });
  expect(status).toBe(201);
  await api.host.advance(1);
  return api;
}

function pods(api: TestApi) {
  return api.scope.store.list("pods", "default");
}

function running(api: TestApi) {
  return pods(api).filter(({ status }) => !/Succeeded|Failed/.test(JSON.stringify(status)));
}

interface Ending {
  readonly exitCode?: number;
  readonly conditions?: readonly object[];
  /** Index of the pods. @default all */
  readonly index?: number;
}

/** Ends running pods in a phase. */
async function end(
  api: TestApi,
  phase: string,
  { exitCode = phase === "Failed" ? 1 : 0, conditions = [], index }: Ending = {},
): Promise<void> {
  const finishedAt = new Date(api.host.clock.now()).toISOString();
  const containerStatuses = [{ name: "a", state: { terminated: { finishedAt, exitCode } } }];
  for (const { metadata } of running(api)) {
    if (index !== undefined && !metadata.name.startsWith(`j-${index}-`)) continue;
    api.scope.store.update("pods", "default", metadata.name, (pod) => ({
      ...pod,
      status: { phase, containerStatuses, conditions },
    }));
  }
  await api.host.advance(1);
}

function statusOf(api: TestApi) {
  return api.scope.store.get("jobs.batch", "default", "j")?.["status"];
}

describe("a job", () => {
  test("runs at most `parallelism` pods until `completions` have succeeded", async () => {
    const api = await create({ parallelism: 2, completions: 3 });
    expect(running(api)).toHaveLength(2);
    await end(api, "Succeeded");
    expect(running(api)).toHaveLength(1);
    await end(api, "Succeeded");
    expect(statusOf(api)).toMatchObject({
      succeeded: 3,
      completionTime: "2026-01-02T03:04:05Z",
      conditions: [{ type: "SuccessCriteriaMet" }, { type: "Complete", status: "True" }],
    });
    expect(pods(api).every(({ metadata }) => metadata.finalizers === undefined)).toBe(true);
  });

  test("retries with backoff and fails at the backoff limit", async () => {
    const api = await create({ backoffLimit: 1 });
    await end(api, "Failed");
    expect(running(api)).toHaveLength(0);
    await api.host.advance(10_000);
    expect(running(api)).toHaveLength(1);
    await end(api, "Failed");
    expect(statusOf(api)).toMatchObject({
      failed: 2,
      conditions: [{ type: "FailureTarget" }, { type: "Failed", reason: "BackoffLimitExceeded" }],
    });
    await api.host.advance(100_000);
    expect(running(api)).toHaveLength(0);
  });

  test("numbers its pods in Indexed mode", async () => {
    const api = await create({ completionMode: "Indexed", completions: 3, parallelism: 2 });
    expect(pods(api).map(({ metadata }) => metadata.name.slice(0, 4))).toEqual(["j-0-", "j-1-"]);
    await end(api, "Succeeded");
    expect(statusOf(api)).toMatchObject({ succeeded: 2, completedIndexes: "0,1" });
    expect(running(api)[0]).toMatchObject({ spec: { hostname: "j-2" } });
    await end(api, "Succeeded");
    expect(statusOf(api)).toMatchObject({ completedIndexes: "0-2", succeeded: 3 });
  });

  test("deletes its pods at the deadline and itself after the TTL", async () => {
    const api = await create({ activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 5 });
    await api.host.advance(60_000);
    expect(statusOf(api)).toMatchObject({ failed: 1, conditions: [{}, { reason: "DeadlineExceeded" }] });
    expect(pods(api)).toEqual([]);
    await api.host.advance(5_000);
    expect(statusOf(api)).toBeUndefined();
  });

  test("leaves no finalizer on the pods of a deleted job", async () => {
    for (const propagationPolicy of ["Background", "Orphan", "Foreground", undefined]) {
      const api = await create({ parallelism: 2 });
      const body = propagationPolicy === undefined ? {} : { propagationPolicy };
      await api.call("DELETE", "/apis/batch/v1/namespaces/default/jobs/j", { body });
      await api.host.advance(10_000);
      expect(statusOf(api)).toBeUndefined();
      expect(pods(api)).toHaveLength((propagationPolicy ?? "Orphan") === "Orphan" ? 2 : 0);
      expect(pods(api).some(({ metadata }) => metadata.finalizers || metadata.ownerReferences)).toBe(false);
    }
  });

  test("adopts matching pods and releases pods whose labels change", async () => {
    const api = await create({});
    const [pod] = pods(api);
    const rename = (labels: object) =>
      api.scope.store.update("pods", "default", pod?.metadata.name ?? "", (current) => ({
        ...current,
        metadata: { ...current.metadata, labels },
      }));
    rename({});
    await api.host.advance(1);
    expect(pods(api)).toHaveLength(2);
    const released = pods(api).find(({ metadata }) => metadata.uid === pod?.metadata.uid);
    expect(released?.metadata).not.toHaveProperty("ownerReferences");
    expect(released?.metadata).not.toHaveProperty("finalizers");
    await end(api, "Failed", {});
    rename(pod?.metadata.labels ?? {});
    await api.host.advance(1);
    expect(statusOf(api)).toMatchObject({ failed: 2 });
  });

  test("leaves jobs of another controller alone", async () => {
    const api = await create({ managedBy: "example.com/queue" });
    expect(pods(api)).toEqual([]);
    expect(statusOf(api)).toEqual({});
  });

  test("deletes its pods while suspended and starts new ones when resumed", async () => {
    const api = await create({ parallelism: 2, completions: 2 });
    const suspend = (value: boolean) =>
      api.call("PATCH", "/apis/batch/v1/namespaces/default/jobs/j", {
        body: { spec: { suspend: value } },
        headers: { "content-type": "application/merge-patch+json" },
      });
    await suspend(true);
    await api.host.advance(60_000);
    expect(pods(api)).toEqual([]);
    expect(statusOf(api)).toMatchObject({
      conditions: [{ type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }],
    });
    await suspend(false);
    await api.host.advance(1);
    expect(pods(api)).toHaveLength(2);
    expect(statusOf(api)).toMatchObject({
      active: 2,
      startTime: "2026-01-02T03:05:05Z",
      conditions: [{ type: "Suspended", status: "False", reason: "JobResumed" }],
    });
    expect(statusOf(api)).not.toHaveProperty("failed");
  });

  test("keeps conditions of others", async () => {
    const api = await create({});
    const conditions = [{ type: "Queued", status: "True" }];
    await api.call("PATCH", "/apis/batch/v1/namespaces/default/jobs/j/status", {
      body: { status: { conditions } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    await end(api, "Succeeded");
    expect(statusOf(api)).toMatchObject({ conditions: [...conditions, { type: "SuccessCriteriaMet" }, {}] });
  });
});

describe("a pod failure policy", () => {
  const onExitCodes = { operator: "In", values: [42] };

  test("fails the job at FailJob and deletes its other pods", async () => {
    const rules = [{ action: "FailJob", onExitCodes }];
    const api = await create({ parallelism: 2, completions: 2, podFailurePolicy: { rules } });
    const [first] = pods(api);
    api.scope.store.update("pods", "default", first?.metadata.name ?? "", (pod) => ({
      ...pod,
      status: { phase: "Failed", containerStatuses: [{ name: "a", state: { terminated: { exitCode: 42 } } }] },
    }));
    await api.host.advance(1);
    const pod = `default/${first?.metadata.name}`;
    const message = `Container a for pod ${pod} failed with exit code 42 matching FailJob rule at index 0`;
    const result = { status: "True", reason: "PodFailurePolicy", message };
    expect(statusOf(api)).toMatchObject({
      failed: 2,
      conditions: [
        { type: "FailureTarget", ...result },
        { type: "Failed", ...result },
      ],
    });
    expect(running(api)).toEqual([]);
  });

  test("does not count pods that it ignores", async () => {
    const onPodConditions = [{ type: "DisruptionTarget" }];
    const rules = [{ action: "Ignore", onPodConditions }];
    const api = await create({ backoffLimit: 0, podFailurePolicy: { rules } });
    await end(api, "Failed", { conditions: [{ type: "DisruptionTarget", status: "True" }] });
    await api.host.advance(10_000);
    expect(running(api)).toHaveLength(1);
    expect(statusOf(api)).not.toHaveProperty("failed");
    await end(api, "Failed");
    expect(statusOf(api)).toMatchObject({ failed: 1, conditions: [{}, { reason: "BackoffLimitExceeded" }] });
  });
});

describe("an indexed job", () => {
  const indexed = { completionMode: "Indexed", parallelism: 3, completions: 3 };

  test("restarts each index up to its limit and fails when others are done", async () => {
    const api = await create({ ...indexed, backoffLimitPerIndex: 1 });
    await end(api, "Failed", { index: 1 });
    await end(api, "Succeeded", { index: 0 });
    expect(running(api)).toHaveLength(1);
    await api.host.advance(10_000);
    expect(running(api).map(({ metadata }) => metadata.annotations)).toContainEqual({
      "batch.kubernetes.io/job-completion-index": "1",
      "batch.kubernetes.io/job-index-failure-count": "1",
    });
    await end(api, "Failed", { index: 1 });
    expect(statusOf(api)).toMatchObject({ failedIndexes: "1", completedIndexes: "0", failed: 2, active: 1 });
    await end(api, "Succeeded");
    expect(statusOf(api)).toMatchObject({
      succeeded: 2,
      conditions: [
        { type: "FailureTarget" },
        { type: "Failed", reason: "FailedIndexes", message: "Job has failed indexes" },
      ],
    });
  });

  test("fails at once if too many indexes fail", async () => {
    const rules = [{ action: "FailIndex", onExitCodes: { operator: "In", values: [42] } }];
    const policies = { backoffLimitPerIndex: 5, maxFailedIndexes: 0, podFailurePolicy: { rules } };
    const api = await create({ ...indexed, ...policies });
    await end(api, "Failed", { index: 2, exitCode: 42 });
    expect(statusOf(api)).toMatchObject({
      failedIndexes: "2",
      conditions: [{}, { reason: "MaxFailedIndexesExceeded" }],
    });
    expect(running(api)).toEqual([]);
  });

  test("succeeds when its success policy is met", async () => {
    const api = await create({
      ...indexed,
      successPolicy: { rules: [{ succeededIndexes: "0,2", succeededCount: 1 }] },
    });
    await end(api, "Succeeded", { index: 1 });
    expect(statusOf(api)).not.toHaveProperty("conditions");
    await end(api, "Succeeded", { index: 2 });
    const result = { status: "True", reason: "SuccessPolicy", message: "Matched rules at index 0" };
    expect(statusOf(api)).toMatchObject({
      succeeded: 2,
      completedIndexes: "1,2",
      terminating: 0,
      conditions: [
        { type: "SuccessCriteriaMet", ...result },
        { type: "Complete", ...result },
      ],
    });
    expect(statusOf(api)).not.toHaveProperty("failed");
  });

  test("replaces a terminating pod only after its end with the replacement policy Failed", async () => {
    const api = await create({ ...indexed, podReplacementPolicy: "Failed" });
    const [first] = pods(api);
    const name = first?.metadata.name ?? "";
    api.scope.store.update("pods", "default", name, (pod) => ({
      ...pod,
      spec: { ...Object(pod["spec"]), nodeName: "n" },
    }));
    await api.call("DELETE", `/api/v1/namespaces/default/pods/${name}`);
    await api.host.advance(1);
    expect(statusOf(api)).toMatchObject({ active: 2, terminating: 1 });
    expect(pods(api)).toHaveLength(3);
    await end(api, "Failed", { index: 0 });
    expect(statusOf(api)).toMatchObject({ active: 2, terminating: 0, failed: 1 });
    await api.host.advance(40_000);
    expect(statusOf(api)).toMatchObject({ active: 3 });
  });
});
