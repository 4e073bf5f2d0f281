import { expect, test } from "vitest";
import { issue } from "../../errors/issue.ts";
import { testHost } from "../../host/test-host.ts";
import type { GatewayApplication, GatewayState } from "../model/application.ts";
import type { NewApplication, SubmitResult } from "../model/applications.ts";
import type { NewSchedule, ScheduleRecord } from "../model/schedules.ts";
import { openSchedules } from "./open-schedules.ts";

const startMs = Date.UTC(2026, 0, 1, 12);
const minuteMs = 60_000;
const etl = { namespace: "jobs", name: "etl" } as const;

const everyMinute: NewSchedule = {
  ...{ ...etl, owner: "alice", isSuspended: false },
  rules: { schedule: "* * * * *", concurrencyPolicy: "Allow" },
  application: { name: "etl", app: "local:///etl.py" },
};

type Failure = Extract<SubmitResult, { readonly kind: "unavailable" | "rejected" }>;

/** Opens schedules on applications and a store in memory. Each failure is the result of one call, the first first. */
async function setUp(failures: { readonly submit?: readonly Failure[]; readonly update?: readonly Error[] } = {}) {
  const host = testHost({ now: startMs });
  const stored = new Map<string, ScheduleRecord>();
  const submitted: GatewayApplication[] = [];
  const [submitFailures, updateFailures] = [[...(failures.submit ?? [])], [...(failures.update ?? [])]];
  const listeners = new Set<(key: string, application: GatewayApplication | undefined) => void>();
  const logged: string[] = [];
  const submit = async (application: NewApplication): Promise<SubmitResult> => {
    const failure = submitFailures.shift();
    if (failure !== undefined) return failure;
    const { idempotencyKey } = application;
    const known = submitted.find(({ record }) => record.idempotencyKey === idempotencyKey);
    if (known !== undefined) return { kind: "repeated", application: known };
    const created = applicationOf(application, submitted.length, host.clock.now());
    submitted.push(created);
    for (const listener of listeners) listener(created.record.key, created);
    return { kind: "accepted", application: created };
  };
  const schedules = await openSchedules({
    host,
    log: (_level, text) => logged.push(text),
    store: {
      list: async () => [...stored.values()],
      create: async (record) => {
        stored.set(record.key, record);
        return true;
      },
      async update(record) {
        const failure = updateFailures.shift();
        if (failure !== undefined) throw failure;
        stored.set(record.key, record);
      },
      remove: async (key) => void stored.delete(key),
    },
    applications: {
      submit,
      kill: async () => true,
      remove: async () => {},
      list: () => submitted,
      get: (key) => submitted.find(({ record }) => record.key === key),
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      synced: Promise.resolve(),
    },
    check: async () => [],
  });
  await schedules.create(everyMinute);
  const minutes = () => submitted.map(({ record }) => ((record.schedule?.scheduledMs ?? 0) - startMs) / minuteMs);
  return { host, schedules, minutes, logged, stored };
}

function applicationOf(application: NewApplication, number: number, acceptedMs: number): GatewayApplication {
  const { protocol, submission, schedule, idempotencyKey, name } = application;
  const state: GatewayState = "running";
  return {
    record: {
      ...{ key: `api-${number}`, protocol, id: String(number), name, namespace: "jobs", podName: "p", priority: 0 },
      ...{ acceptedMs, number, attempt: 1, submission, schedule, idempotencyKey },
    },
    ...{ state, executors: [], submissionLog: [], isExplained: true },
  };
}

const down: Failure = { kind: "unavailable", reason: "no cluster", retryAfterSeconds: 5 };

test("a run that cannot be submitted is submitted every 10 s, and is the one of its time", async () => {
  const { host, schedules, minutes, logged } = await setUp({ submit: [down, down] });
  await host.advance(minuteMs);
  expect([minutes(), schedules.get(etl)?.nextMs]).toEqual([[], startMs + minuteMs + 10_000]);
  await host.advance(20_000);
  expect([minutes(), schedules.get(etl)?.nextMs]).toEqual([[1], startMs + 2 * minuteMs]);
  expect(logged.filter((text) => text.includes("started again"))).toHaveLength(2);
});

test("a run whose schedule cannot be stored is not started again", async () => {
  const { host, schedules, minutes } = await setUp({ update: [new Error("no cluster"), new Error("no cluster")] });
  await host.advance(minuteMs + 20_000);
  expect(minutes()).toEqual([1]);
  expect(schedules.get(etl)).toMatchObject({
    nextMs: startMs + 2 * minuteMs,
    record: { lastRun: { key: "api-0", scheduledMs: startMs + minuteMs } },
  });
  await host.advance(40_000);
  expect(minutes()).toEqual([1, 2]);
});

test("a run that is rejected is left out, with its reason until the next run starts", async () => {
  const rejected = issue("SUBMIT_ERR_GATEWAY_SETTING", { key: "spark.x", reason: "it is not permitted" });
  const { host, schedules, minutes } = await setUp({ submit: [{ kind: "rejected", issues: [rejected] }] });
  await host.advance(minuteMs);
  expect(schedules.get(etl)?.record.problem).toContain("it is not permitted");
  await host.advance(minuteMs);
  expect(minutes()).toEqual([2]);
  expect(schedules.get(etl)?.record.problem).toBeUndefined();
});

test("a suspension that cannot be stored fails, and the schedule continues", async () => {
  const { host, schedules, minutes } = await setUp({ update: [new Error("no cluster")] });
  await expect(schedules.setSuspended(etl, true, "alice")).rejects.toThrow("no cluster");
  await host.advance(minuteMs);
  expect(minutes()).toEqual([1]);
});

test("a schedule that is created suspended gets its first time when it is resumed", async () => {
  const { host, schedules, minutes } = await setUp();
  await schedules.remove(etl, "alice");
  await host.advance(0);
  const daily = { ...everyMinute, isSuspended: true, rules: { schedule: "0 0 * * *", timeZone: "Asia/Tokyo" } };
  expect(await schedules.create(daily)).toMatchObject({ kind: "created", schedule: { nextMs: undefined } });
  await host.advance(24 * 60 * minuteMs);
  await schedules.setSuspended(etl, false, "alice");
  expect(schedules.get(etl)?.nextMs).toBe(Date.UTC(2026, 0, 2, 15));
  expect(minutes()).toEqual([]);
});

test("no run starts after the end of the gateway", async () => {
  const { host, schedules, minutes } = await setUp();
  await schedules.close();
  await host.advance(10 * minuteMs);
  expect(minutes()).toEqual([]);
});
