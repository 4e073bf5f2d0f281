import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";

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

/** Ends all running pods in a phase. */
async function end(api: TestApi, phase: string): Promise<void> {
  const finishedAt = new Date(api.host.clock.now()).toISOString();
  const containerStatuses = [{ name: "a", state: { terminated: { finishedAt } } }];
  for (const { metadata } of running(api)) {
    api.scope.store.update("pods", "default", metadata.name, (pod) => ({
      ...pod,
      status: { phase, containerStatuses },
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
    expect(statusOf(api)).toMatchObject({ succeeded: 2, completedIndexes: "0-1" });
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
});
