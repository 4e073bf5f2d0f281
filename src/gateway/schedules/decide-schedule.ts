import type { NextTime } from "../../cron/zoned-schedule.ts";
import { decideRun, newScheduleStatus, type ScheduledRun } from "../../spark-application/schedule/decide-run.ts";
import type { ApplicationState } from "../../spark-application/state/status.ts";
import type { GatewayApplication, GatewayState } from "../model/application.ts";
import type { ScheduleRecord } from "../model/schedules.ts";

interface DecisionInput {
  readonly record: ScheduleRecord;
  readonly next: NextTime;
  /** Its runs, the newest first. */
  readonly runs: readonly GatewayApplication[];
  readonly nowMs: number;
}

/** Decision about a schedule at a time. Times are in ms since 1970. */
export type ScheduleDecision =
  | { readonly kind: "wait" | "skip"; readonly nextMs: number | undefined }
  /** An earlier process has started this run, but not stored it. */
  | {
      readonly kind: "started";
      readonly scheduledMs: number;
      readonly run: GatewayApplication;
      readonly nextMs: number | undefined;
    }
  | {
      readonly kind: "start";
      readonly scheduledMs: number;
      /** Keys of the runs to kill before, and to remove afterwards. */
      readonly replaced: readonly string[];
      readonly expired: readonly string[];
      readonly nextMs: number | undefined;
    };

/** Decides whether a run starts, as the Spark operator and `firesteel apply` do. */
export function decideSchedule({ record, next, runs, nowMs }: DecisionInput): ScheduleDecision {
  const { name, rules, isSuspended, nextRunMs } = record;
  if (isSuspended || nextRunMs === undefined) return { kind: "wait", nextMs: undefined };
  const run = runs.find(({ record: { schedule } }) => schedule?.scheduledMs === nextRunMs);
  if (run !== undefined) return { kind: "started", scheduledMs: nextRunMs, run, nextMs: next(nowMs) };
  const decision = decideRun({
    ...{ name, spec: rules, next, nowMs },
    status: { ...newScheduleStatus, nextRunMs },
    runs: runs.map(scheduledRun).sort((a, b) => (a.name < b.name ? -1 : 1)),
  });
  const { againAfterMs, create, status, isSkipped } = decision;
  const againMs = againAfterMs === undefined ? undefined : nowMs + againAfterMs;
  if (create === undefined) return { kind: isSkipped ? "skip" : "wait", nextMs: againMs };
  const keysOf = (names: readonly string[]) =>
    runs.filter((each) => names.includes(runName(each))).map((each) => each.record.key);
  const [replaced, expired] = [keysOf(decision.replaced), keysOf(decision.expired)];
  return { kind: "start", scheduledMs: nextRunMs, replaced, expired, nextMs: status.nextRunMs };
}

const states: Readonly<Record<GatewayState, ApplicationState>> = {
  queued: "SUBMITTED",
  submitting: "SUBMITTED",
  pending: "SUBMITTED",
  running: "RUNNING",
  succeeded: "COMPLETED",
  failed: "FAILED",
  killed: "FAILED",
};

function scheduledRun(application: GatewayApplication): ScheduledRun {
  const { record, state } = application;
  return { name: runName(application), state: states[state], createdMs: record.acceptedMs };
}

function runName({ record: { name = "" } }: GatewayApplication): string {
  return name;
}
