import { expect, test } from "vitest";
import { parseZonedSchedule } from "../../cron/zoned-schedule.ts";
import type { GatewayApplication, GatewayState } from "../model/application.ts";
import type { ScheduleRecord } from "../model/schedules.ts";
import { decideSchedule } from "./decide-schedule.ts";

const at = (text: string) => Date.parse(`2026-${text}Z`);
const noon = at("01-01T12:00:00");
const minuteMs = 60_000;

function record(changes: Partial<ScheduleRecord> = {}): ScheduleRecord {
  return {
    ...{ key: "schedule-1", uid: "u", requestDigest: "", namespace: "jobs", name: "etl", owner: undefined },
    ...{ rules: { schedule: "* * * * *", concurrencyPolicy: "Allow" }, isSuspended: false, createdMs: 0 },
    application: { name: "etl", app: "local:///app.jar" },
    nextRunMs: noon,
    ...changes,
  };
}

function run(number: number, state: GatewayState, scheduledMs: number): GatewayApplication {
  return {
    record: {
      ...{ key: `api-${number}`, protocol: "api", id: String(number), name: `etl-${scheduledMs}`, namespace: "jobs" },
      ...{ podName: `p-${number}`, priority: 0, acceptedMs: scheduledMs, number, attempt: 1 },
      submission: { fields: {}, settings: {}, resource: "local:///app.jar", appArgs: [], templates: {} },
      schedule: { uid: "u", name: "etl", scheduledMs },
    },
    ...{ state, executors: [], submissionLog: [], isExplained: true },
  };
}

interface Input {
  readonly record?: ScheduleRecord;
  readonly runs?: readonly GatewayApplication[];
  readonly nowMs?: number;
}

function decide({ record: decided = record(), runs = [], nowMs = noon }: Input) {
  const { schedule, timeZone = "" } = decided.rules;
  return decideSchedule({ record: decided, next: parseZonedSchedule(schedule, { timeZone }), runs, nowMs });
}

test("a run starts at its time and not before, and one run for all times that were missed", () => {
  expect(decide({ nowMs: noon - 1 })).toEqual({ kind: "wait", nextRunMs: noon });
  const start = { kind: "start", scheduledMs: noon, replaced: [], expired: [] };
  expect(decide({})).toEqual({ ...start, nextRunMs: noon + minuteMs });
  expect(decide({ nowMs: noon + 90.5 * minuteMs })).toEqual({ ...start, nextRunMs: noon + 91 * minuteMs });
});

test("no run starts while a schedule is suspended or has no further time", () => {
  expect(decide({ record: record({ isSuspended: true }) })).toEqual({ kind: "wait", nextRunMs: noon });
  const never = record({ rules: { schedule: "0 0 30 2 *" }, nextRunMs: undefined });
  expect(decide({ record: never })).toEqual({ kind: "wait", nextRunMs: undefined });
});

test("a stored time of a clock that was wrong gives way to an earlier one that has no run yet", () => {
  const [nowMs, stored] = [noon - minuteMs / 2, { nextRunMs: at("12-31T00:00:00") }];
  expect(decide({ record: record(stored), nowMs })).toEqual({ kind: "wait", nextRunMs: noon });
  const lastRun = { key: "api-1", name: "etl-1", scheduledMs: noon, startedMs: noon };
  const started = record({ ...stored, lastRun });
  expect(decide({ record: started, nowMs })).toEqual({ kind: "wait", nextRunMs: noon + minuteMs });
});

test("a time that is skipped is not decided again", () => {
  const skipping = record({ rules: { schedule: "* * * * *", concurrencyPolicy: "Forbid" } });
  const decision = decide({ record: skipping, runs: [run(1, "running", noon - minuteMs)] });
  expect(decision).toEqual({ kind: "skip", nextRunMs: noon + minuteMs });
});

test("a run that an earlier process has started is neither started again nor counted as the last one", () => {
  for (const concurrencyPolicy of ["Allow", "Forbid", "Replace", ""]) {
    const input = record({ rules: { schedule: "* * * * *", concurrencyPolicy } });
    const started = run(1, "running", noon);
    expect(decide({ record: input, runs: [started] })).toMatchObject({
      ...{ kind: "started", scheduledMs: noon, run: started, nextRunMs: noon + minuteMs },
    });
  }
});

test("the policy decides about a last run that has not ended", () => {
  const decided = (concurrencyPolicy: string | undefined, state: GatewayState) => {
    const rules = { schedule: "* * * * *", ...(concurrencyPolicy !== undefined && { concurrencyPolicy }) };
    const decision = decide({ record: record({ rules }), runs: [run(1, state, noon - minuteMs)] });
    return decision.kind === "start" ? ["start", ...decision.replaced] : [decision.kind];
  };
  for (const state of ["queued", "submitting", "pending", "running"] as const) {
    expect(decided("Allow", state)).toEqual(["start"]);
    expect(decided("Forbid", state)).toEqual(["skip"]);
    expect(decided("Replace", state)).toEqual(["start", "api-1"]);
    expect(decided(undefined, state)).toEqual(["skip"]);
  }
  for (const state of ["succeeded", "failed", "killed"] as const) {
    for (const policy of ["Allow", "Forbid", "Replace"]) expect(decided(policy, state)).toEqual(["start"]);
    expect(decided(undefined, state)).toEqual(["skip"]);
  }
});

test("the oldest ended runs beyond the limits expire", () => {
  const runs = [
    run(4, "succeeded", noon - minuteMs),
    run(3, "killed", noon - 2 * minuteMs),
    run(2, "failed", noon - 3 * minuteMs),
    run(1, "succeeded", noon - 4 * minuteMs),
  ];
  const expired = (limits: object) => {
    const rules = { schedule: "* * * * *", concurrencyPolicy: "Allow", ...limits };
    const decision = decide({ record: record({ rules }), runs });
    return decision.kind === "start" ? [...decision.expired].sort() : [];
  };
  expect(expired({})).toEqual(["api-1", "api-2"]);
  expect(expired({ successfulRunHistoryLimit: 2, failedRunHistoryLimit: 0 })).toEqual(["api-2", "api-3"]);
});

test("the times are those of the time zone, also when its clocks change", () => {
  const rules = { schedule: "30 2 * * *", timeZone: "Europe/Berlin", concurrencyPolicy: "Allow" };
  const nextAfter = (nextRunMs: number) => decide({ record: record({ rules, nextRunMs }), nowMs: nextRunMs }).nextRunMs;
  // On 29 March, 02:30 does not exist; on 25 October, it comes twice.
  expect(nextAfter(at("03-28T01:30:00"))).toBe(at("03-30T00:30:00"));
  expect(nextAfter(at("10-25T00:30:00"))).toBe(at("10-25T01:30:00"));
});
