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

/** Decision about a schedule at a time, with the time of its next run. Times are in ms since 1970. */
export type ScheduleDecision = { readonly nextRunMs: number | undefined } & (
  | { readonly kind: "wait" | "skip" }
  /** An earlier process has started this run, but not stored it. */
  | { readonly kind: "started"; readonly scheduledMs: number; readonly run: GatewayApplication }
  | DueRun
);

/** A run to start. */
export interface DueRun {
  readonly kind: "start";
  readonly scheduledMs: number;
  /** Keys of the runs to kill before, and to remove afterwards. */
  readonly replaced: readonly string[];
  readonly expired: readonly string[];
}

/**
 * Decides whether a run starts, as the Spark operator and `firesteel apply` do. A time that is skipped is left out: the operator starts its
 * run later if it decides again before the next time, for example after a restart.
 */
export function decideSchedule({ record, next, runs, nowMs }: DecisionInput): ScheduleDecision {
  const { name, rules, isSuspended } = record;
  if (isSuspended) return { kind: "wait", nextRunMs: record.nextRunMs };
  const nextRunMs = nextRunOf(record, next, nowMs);
  if (nextRunMs === undefined || nowMs < nextRunMs) return { kind: "wait", nextRunMs };
  const followingMs = next(nowMs);
  const run = runs.find(({ record: { schedule } }) => schedule?.scheduledMs === nextRunMs);
  if (run !== undefined) return { kind: "started", scheduledMs: nextRunMs, run, nextRunMs: followingMs };
  const decision = decideRun({
    ...{ name, spec: rules, next, nowMs },
    status: { ...newScheduleStatus, nextRunMs },
    runs: runs.map(scheduledRun).sort((a, b) => (a.name < b.name ? -1 : 1)),
  });
  if (decision.create === undefined) return { kind: "skip", nextRunMs: followingMs };
  const keysOf = (names: readonly string[]) =>
    runs.filter((each) => names.includes(runName(each))).map((each) => each.record.key);
  const [replaced, expired] = [keysOf(decision.replaced), keysOf(decision.expired)];
  return { kind: "start", scheduledMs: nextRunMs, replaced, expired, nextRunMs: followingMs };
}

/** Returns the time of the next run of a schedule. It can be earlier than the stored one, whose clock was wrong. */
export function nextRunOf(
  { nextRunMs: storedMs, lastRun }: Pick<ScheduleRecord, "nextRunMs" | "lastRun">,
  next: NextTime,
  nowMs: number,
): number | undefined {
  if (storedMs !== undefined && storedMs <= nowMs) return storedMs;
  const nextMs = next(nowMs);
  // A clock that was set back a little reaches the time of the last run again.
  const freeMs = nextMs !== undefined && nextMs === lastRun?.scheduledMs ? next(nextMs) : nextMs;
  return storedMs === undefined || (freeMs !== undefined && freeMs < storedMs) ? freeMs : storedMs;
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
