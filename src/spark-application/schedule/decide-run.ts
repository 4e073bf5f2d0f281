import type { NextTime } from "../../cron/zoned-schedule.ts";
import type { ScheduleSpec } from "../application.ts";
import { type ApplicationState, hasEnded } from "../state/status.ts";

/** Status of a schedule. Times are in ms since 1970. */
export interface ScheduleStatus {
  readonly nextRunMs?: number | undefined;
  readonly lastRunMs?: number | undefined;
  readonly lastRunName?: string | undefined;
  readonly pastSuccessfulRunNames: readonly string[];
  readonly pastFailedRunNames: readonly string[];
}

/** Status of a new schedule. */
export const newScheduleStatus: ScheduleStatus = { pastSuccessfulRunNames: [], pastFailedRunNames: [] };

/** A run of a schedule that exists. */
export interface ScheduledRun {
  readonly name: string;
  readonly state: ApplicationState;
  readonly createdMs: number;
}

/** Unit of the time in the names of runs. */
export type TimestampPrecision = "minutes" | "seconds" | "millis" | "micros" | "nanos";

/** A schedule at the time of a call. */
export interface ScheduleInput {
  readonly name: string;
  readonly spec: Pick<
    ScheduleSpec,
    "concurrencyPolicy" | "suspend" | "successfulRunHistoryLimit" | "failedRunHistoryLimit"
  >;
  readonly next: NextTime;
  readonly status: ScheduleStatus;
  /** In the order of their names. */
  readonly runs: readonly ScheduledRun[];
  readonly nowMs: number;
  /** @default nanos */
  readonly precision?: TimestampPrecision | undefined;
}

/** Decision about a schedule. */
export interface RunDecision {
  readonly status: ScheduleStatus;
  /** Name of the run to start. */
  readonly create: string | undefined;
  /** Names of the runs to delete: the one that is replaced before the new one starts, the oldest ones afterwards. */
  readonly replaced: readonly string[];
  readonly expired: readonly string[];
  /** Whether a run was due but not started, because of the last one. */
  readonly isSkipped: boolean;
  /** Time until the next decision; `undefined` if there is no further run. */
  readonly againAfterMs: number | undefined;
}

/**
 * Decides whether a run of a schedule starts: one call of the operator's controller. However many times were missed, one run starts.
 *
 * Source: Kubeflow Spark operator 2.5.2, whose decisions were recorded.
 */
export function decideRun(input: ScheduleInput): RunDecision {
  const { spec, next, status, nowMs } = input;
  if (spec.suspend === true) return nothing(status, undefined);
  const nextRunMs = status.nextRunMs ?? next(nowMs);
  if (nextRunMs === undefined) return nothing(status, undefined);
  if (nowMs < nextRunMs) return nothing({ ...status, nextRunMs }, nextRunMs - nowMs);
  const last = newest(input.runs);
  const permission = concurrency(spec.concurrencyPolicy, last);
  const followingMs = next(nowMs);
  const againAfterMs = followingMs === undefined ? undefined : followingMs - nowMs;
  if (permission === "skip") return { ...nothing({ ...status, nextRunMs }, againAfterMs), isSkipped: true };
  const replaced = permission === "replace" && last !== undefined ? [last.name] : [];
  const runs = input.runs.filter(({ name }) => !replaced.includes(name));
  const successful = history(runs, "COMPLETED", spec.successfulRunHistoryLimit ?? 1);
  const failed = history(runs, "FAILED", spec.failedRunHistoryLimit ?? 1);
  const create = runName(input.name, nowMs, input.precision);
  return {
    status: {
      nextRunMs: followingMs,
      lastRunMs: nowMs,
      lastRunName: create,
      pastSuccessfulRunNames: successful.kept,
      pastFailedRunNames: failed.kept,
    },
    create,
    replaced,
    expired: [...successful.expired, ...failed.expired],
    isSkipped: false,
    againAfterMs,
  };
}

function nothing(status: ScheduleStatus, againAfterMs: number | undefined): RunDecision {
  return { status, create: undefined, replaced: [], expired: [], isSkipped: false, againAfterMs };
}

function newest(runs: readonly ScheduledRun[]): ScheduledRun | undefined {
  return [...runs].sort((a, b) => b.createdMs - a.createdMs)[0];
}

/** Without a known policy, no run starts while another one exists. */
function concurrency(policy: string | undefined, last: ScheduledRun | undefined): "start" | "skip" | "replace" {
  if (last === undefined || policy === "Allow") return "start";
  if (policy !== "Forbid" && policy !== "Replace") return "skip";
  if (hasEnded(last)) return "start";
  return policy === "Forbid" ? "skip" : "replace";
}

function history(runs: readonly ScheduledRun[], state: ApplicationState, limit: number) {
  const ended = runs.filter((run) => run.state === state);
  if (ended.length <= limit) return { kept: ended.map(({ name }) => name), expired: [] };
  const sorted = [...ended].sort((a, b) => b.createdMs - a.createdMs).map(({ name }) => name);
  return { kept: sorted.slice(0, limit), expired: sorted.slice(limit) };
}

const zerosAfterMs: Readonly<Record<TimestampPrecision, number>> = {
  minutes: 0,
  seconds: 0,
  millis: 0,
  micros: 3,
  nanos: 6,
};

const unitMs: Readonly<Record<TimestampPrecision, number>> = {
  minutes: 60_000,
  seconds: 1_000,
  millis: 1,
  micros: 1,
  nanos: 1,
};

/** Returns the name of a run by a time in ms since 1970. */
export function runName(name: string, atMs: number, precision: TimestampPrecision = "nanos"): string {
  return `${name}-${Math.floor(atMs / unitMs[precision])}${"0".repeat(zerosAfterMs[precision])}`;
}
