import { describe, expect, test } from "vitest";
import { parseZonedSchedule } from "../../cron/zoned-schedule.ts";
import type { ScheduleSpec } from "../application.ts";
import { decideRun, newScheduleStatus, type ScheduledRun, type TimestampPrecision } from "./decide-run.ts";
import { type BeforeCall, recordedRuns } from "./test-recorded-runs.ts";

type Spec = Partial<ScheduleSpec> & Pick<ScheduleSpec, "schedule">;

const nextOf = (schedule: string) => parseZonedSchedule(schedule, { timeZone: "UTC" });

function run(fields: Partial<ScheduleSpec>, calls: readonly (readonly [string, BeforeCall, string])[]) {
  let spec: Spec = { schedule: "*/10 * * * *", ...fields };
  let status = newScheduleStatus;
  let runs: readonly ScheduledRun[] = [];
  return calls.map(([at, { all, last, change }]) => {
    spec = { ...spec, ...change };
    runs = runs.map((each, index) => ({
      ...each,
      state: all ?? (index === runs.length - 1 ? last : undefined) ?? each.state,
    }));
    const nowMs = Date.parse(at);
    const decision = decideRun({ name: "n", spec, next: nextOf(spec.schedule), status, runs, nowMs });
    status = decision.status;
    const gone = [...decision.replaced, ...decision.expired];
    const { create } = decision;
    runs = [
      ...runs.filter(({ name }) => !gone.includes(name)),
      ...(create === undefined ? [] : [{ name: create, state: "" as const, createdMs: nowMs }]),
    ];
    const { nextRunMs, pastSuccessfulRunNames: completed, pastFailedRunNames: failed } = status;
    return [
      ...(create === undefined ? [] : ["start"]),
      `runs ${runs.map(({ name }) => timeOf(name)).join(" ")}`,
      ...(nextRunMs === undefined ? [] : [`next ${shortTime(nextRunMs)}`]),
      ...(completed.length === 0 ? [] : [`completed ${completed.map(timeOf).join(" ")}`]),
      ...(failed.length === 0 ? [] : [`failed ${failed.map(timeOf).join(" ")}`]),
      ...(decision.againAfterMs === undefined ? [] : [`again in ${decision.againAfterMs / 1000} s`]),
    ].join(", ");
  });
}

/** Returns the time in the name of a run. */
function timeOf(name: string): string {
  return shortTime(Number(name.slice("n-".length)) / 1_000_000);
}

function shortTime(ms: number): string {
  const text = new Date(ms).toISOString();
  return text.startsWith("2026-11-22") ? text.slice(11, 16) : text.replace(".000", "");
}

describe("runs of a schedule are decided as by the operator", () => {
  test.each(recordedRuns)("%s", (_name, fields, calls) => {
    expect(run(fields, calls)).toEqual(calls.map(([, , result]) => result));
  });
});

test.each<[TimestampPrecision, string]>([
  ["minutes", "n-29922370"],
  ["seconds", "n-1795342200"],
  ["millis", "n-1795342200000"],
  ["micros", "n-1795342200000000"],
  ["nanos", "n-1795342200000000000"],
])("the name of a run has its time in %s", (precision, expected) => {
  const nowMs = Date.parse("2026-11-22T10:10:00Z");
  const status = { ...newScheduleStatus, nextRunMs: nowMs };
  const input = { name: "n", spec: {}, next: nextOf("@hourly"), status, runs: [], nowMs, precision };
  expect(decideRun(input).create).toBe(expected);
});

test("a schedule without a further time has no next decision", () => {
  const input = { name: "n", spec: {}, next: nextOf("0 0 30 2 *"), status: newScheduleStatus, runs: [], nowMs: 0 };
  expect(decideRun(input)).toMatchObject({ create: undefined, againAfterMs: undefined });
});
