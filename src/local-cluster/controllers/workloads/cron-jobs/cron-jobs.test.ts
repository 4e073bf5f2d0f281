import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../../test-api.ts";

const path = "/apis/batch/v1/namespaces/default/cronjobs";
const minuteMs = 60_000;
const mergePatch = { "content-type": "application/merge-patch+json" };

/** Creates a CronJob `c` at 03:04:05 that is due every minute. */
async function create(spec: object = {}): Promise<TestApi> {
  const api = testApi();
  const podSpec = { restartPolicy: "Never", containers: [{ name: "a", image: "x:1" }] };
  const jobTemplate = { metadata: { labels: { app: "x" } }, spec: { template: { spec: podSpec } } };
  const object = { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "c" }, spec: {} };
  const body = { ...object, spec: { schedule: "* * * * *", jobTemplate, ...spec } };
  const response = await api.call("POST", path, { body });
  expect(response.status).toBe(201);
  await api.host.advance(1);
  return api;
}

function jobs(api: TestApi) {
  return api.scope.store.list("jobs.batch", "default");
}

function names(api: TestApi): string[] {
  return jobs(api).map(({ metadata }) => metadata.name);
}

function statusOf(api: TestApi) {
  return api.scope.store.get("cronjobs.batch", "default", "c")?.["status"];
}

function reasons(api: TestApi): unknown[] {
  const events = api.scope.store.list("events", "default");
  return events.filter((event) => JSON.stringify(event).includes('"CronJob"')).map((event) => event["reason"]);
}

/** Finishes all running pods. */
async function finish(api: TestApi, phase = "Succeeded"): Promise<void> {
  for (const { metadata } of api.scope.store.list("pods", "default"))
    api.scope.store.update("pods", "default", metadata.name, (pod) => ({ ...pod, status: { phase } }));
  await api.host.advance(1);
}

describe("a CronJob", () => {
  test("creates a job at each time of its schedule and tracks it", async () => {
    const api = await create({ timeZone: "Asia/Kolkata" });
    expect(jobs(api)).toEqual([]);
    await api.host.advance(minuteMs);
    const minutes = Date.parse("2026-01-02T03:05:00Z") / minuteMs;
    expect(jobs(api)).toMatchObject([
      {
        metadata: {
          name: `c-${minutes}`,
          labels: { app: "x" },
          annotations: { "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-02T08:35:00+05:30" },
          ownerReferences: [{ kind: "CronJob", name: "c", controller: true }],
        },
      },
    ]);
    expect(statusOf(api)).toMatchObject({
      active: [{ kind: "Job", name: `c-${minutes}`, apiVersion: "batch/v1" }],
      lastScheduleTime: "2026-01-02T03:05:00Z",
    });
    await finish(api);
    expect(statusOf(api)).toEqual({
      lastScheduleTime: "2026-01-02T03:05:00Z",
      lastSuccessfulTime: "2026-01-02T03:05:05Z",
    });
    expect(reasons(api)).toEqual(["SuccessfulCreate", "SawCompletedJob"]);
  });

  test("runs jobs at the same time, one at a time, or only the last one", async () => {
    const allowed = await create();
    await allowed.host.advance(2 * minuteMs);
    expect(jobs(allowed)).toHaveLength(2);
    const forbidden = await create({ concurrencyPolicy: "Forbid" });
    await forbidden.host.advance(2 * minuteMs);
    expect(jobs(forbidden)).toHaveLength(1);
    expect(reasons(forbidden)).toContain("JobAlreadyActive");
    await finish(forbidden);
    expect(jobs(forbidden)).toHaveLength(2);
    const replaced = await create({ concurrencyPolicy: "Replace" });
    await replaced.host.advance(minuteMs);
    const [first] = names(replaced);
    await replaced.host.advance(minuteMs);
    expect(names(replaced)).toHaveLength(1);
    expect(names(replaced)).not.toContain(first);
  });

  test("keeps the latest finished jobs", async () => {
    const api = await create({ successfulJobsHistoryLimit: 1 });
    for (let minute = 0; minute < 3; minute++) {
      await api.host.advance(minuteMs);
      await finish(api);
    }
    await api.host.advance(1);
    expect(names(api)).toEqual([`c-${Date.parse("2026-01-02T03:07:00Z") / minuteMs}`]);
  });

  test("starts nothing while suspended, and only the last missed job afterwards", async () => {
    const api = await create({ suspend: true });
    await api.host.advance(5 * minuteMs);
    expect(jobs(api)).toEqual([]);
    await api.call("PATCH", `${path}/c`, { body: { spec: { suspend: false } }, headers: mergePatch });
    await api.host.advance(1);
    expect(names(api)).toEqual([`c-${Date.parse("2026-01-02T03:09:00Z") / minuteMs}`]);
  });

  test("does not start a job after its deadline", async () => {
    const api = await create({ suspend: true, schedule: "*/10 * * * *", startingDeadlineSeconds: 60 });
    await api.host.advance(10 * minuteMs);
    await api.call("PATCH", `${path}/c`, { body: { spec: { suspend: false } }, headers: mergePatch });
    await api.host.advance(1);
    expect(jobs(api)).toEqual([]);
  });

  test("warns about very many missed times", async () => {
    const api = await create({ suspend: true });
    await api.host.advance(200 * minuteMs);
    await api.call("PATCH", `${path}/c`, { body: { spec: { suspend: false } }, headers: mergePatch });
    await api.host.advance(1);
    expect(jobs(api)).toHaveLength(1);
    expect(reasons(api)).toContain("TooManyMissedTimes");
  });

  test("notices a deleted job", async () => {
    const api = await create();
    await api.host.advance(minuteMs);
    const [name = ""] = names(api);
    await api.call("DELETE", `/apis/batch/v1/namespaces/default/jobs/${name}`, {});
    await api.host.advance(1);
    expect(statusOf(api)).toEqual({ lastScheduleTime: "2026-01-02T03:05:00Z" });
    expect(reasons(api)).toContain("MissingJob");
  });

  test.each<[object, string]>([
    [{ schedule: "* * *" }, "expected exactly 5 fields, found 3: [* * *]"],
    [{ schedule: "TZ=UTC * * * * *" }, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"],
    [{ timeZone: "Mars/Base" }, "unknown time zone Mars/Base"],
    [{ concurrencyPolicy: "Maybe" }, 'supported values: "Allow", "Forbid", "Replace"'],
    [{ startingDeadlineSeconds: -1 }, "must be greater than or equal to 0"],
    [{ jobTemplate: { spec: {} } }, "spec.jobTemplate.spec.template.spec.containers: Required value"],
  ])("%j is rejected", async (spec, message) => {
    const metadata = { name: "d" };
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "x:1" }] } };
    const valid = { schedule: "* * * * *", jobTemplate: { spec: { template } } };
    const body = { apiVersion: "batch/v1", kind: "CronJob", metadata, spec: { ...valid, ...spec } };
    const response = await testApi().call("POST", path, { body });
    expect(JSON.parse(await response.text()).message).toContain(message);
  });
});
