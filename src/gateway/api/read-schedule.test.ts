import { expect, test } from "vitest";
import { readSchedule } from "./read-schedule.ts";

const scheduled = {
  apiVersion: "sparkoperator.k8s.io/v1beta2",
  kind: "ScheduledSparkApplication",
  metadata: { name: "etl", namespace: "jobs", labels: { team: "data" }, annotations: { note: "x" } },
  spec: {
    ...{ schedule: "0 2 * * *", timeZone: "Europe/Berlin", concurrencyPolicy: "Forbid", suspend: true },
    successfulRunHistoryLimit: 3,
    template: {
      ...{ type: "Python", sparkVersion: "4.0.1", mainApplicationFile: "local:///etl.py", driver: {}, executor: {} },
    },
  },
};

async function read(document: object) {
  const result = await readSchedule(JSON.stringify(document), "json");
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

async function messagesOf(document: object): Promise<readonly string[]> {
  const result = await readSchedule(JSON.stringify(document), "json");
  return result.ok ? [] : result.issues.map(({ message }) => message);
}

test("a ScheduledSparkApplication is read with the application of its runs, which has its labels", async () => {
  expect(await read(scheduled)).toEqual({
    ...{ name: "etl", namespace: "jobs", isSuspended: true, warnings: [] },
    rules: {
      ...{ schedule: "0 2 * * *", timeZone: "Europe/Berlin", concurrencyPolicy: "Forbid" },
      successfulRunHistoryLimit: 3,
    },
    application: {
      ...{ apiVersion: "sparkoperator.k8s.io/v1beta2", kind: "SparkApplication" },
      metadata: { name: "etl", namespace: "jobs", labels: { team: "data" } },
      spec: scheduled.spec.template,
    },
  });
});

test("a ScheduledSparkApplication without a known policy has a warning, because the operator has no default", async () => {
  const { concurrencyPolicy: _, ...spec } = scheduled.spec;
  expect((await read({ ...scheduled, spec })).warnings).toEqual([expect.stringContaining("is not set")]);
  const unknown = { ...spec, concurrencyPolicy: "allow" };
  expect((await read({ ...scheduled, spec: unknown })).warnings).toEqual([expect.stringContaining('is "allow"')]);
});

test("a schedule in the own format permits several runs at the same time by default", async () => {
  const application = { name: "etl", app: "local:///etl.py", namespace: "jobs" };
  expect(await read({ schedule: "@hourly", application })).toEqual({
    ...{ name: "etl", namespace: "jobs", isSuspended: false, warnings: [], application },
    rules: { schedule: "@hourly", concurrencyPolicy: "Allow" },
  });
});

test("a schedule in the own format is rejected with every problem", async () => {
  const document = { schedule: "@hourly", concurrencyPolicy: "Never", zone: "UTC", application: { name: "etl" } };
  expect(await messagesOf(document)).toEqual([
    expect.stringContaining("concurrencyPolicy"),
    expect.stringContaining("application.app"),
    expect.stringContaining("zone"),
  ]);
});

test("problems of the times are reported together with those of the application", async () => {
  const application = { name: "etl", app: "local:///etl.py", suspend: true };
  expect(await messagesOf({ schedule: "99 * * * *", application })).toEqual([
    expect.stringContaining('invalid schedule "99 * * * *"'),
    expect.stringContaining("suspend is true"),
  ]);
});

test("a SparkApplication is rejected with the path that it belongs to", async () => {
  const application = { ...scheduled, kind: "SparkApplication", spec: scheduled.spec.template };
  expect(await messagesOf(application)).toEqual([expect.stringContaining("/api/v1/applications")]);
});
