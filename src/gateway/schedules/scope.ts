import type { NextTime } from "../../cron/zoned-schedule.ts";
import type { Issue } from "../../errors/issue.ts";
import type { Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import type { Backoff } from "../../net/backoff.ts";
import type { KeyedQueue } from "../../net/keyed-queue.ts";
import type { Applications, NewApplication } from "../model/applications.ts";
import type { GatewaySchedule, ScheduleName, ScheduleRecord } from "../model/schedules.ts";
import type { Records } from "../records/record-store.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { RunIndex } from "./run-index.ts";

/** Mutable state of a schedule in this process. */
export interface ScheduleEntry {
  record: ScheduleRecord;
  /** Times of its runs; `undefined` if this process cannot compute them: then it starts no runs. */
  readonly next: NextTime | undefined;
  /** Reason for which its runs cannot be started now. */
  problem: string | undefined;
  readonly retries: Backoff;
}

/** Everything that the parts of the schedules share. */
export interface SchedulesScope {
  readonly host: Pick<Host, "clock" | "random">;
  readonly log: ServerLog;
  readonly store: Records<ScheduleRecord>;
  readonly applications: Pick<Applications, "submit" | "kill" | "remove">;
  /** Returns every problem of an application, without storing it. */
  readonly check: (application: NewApplication) => Promise<readonly Issue[]>;
  readonly tracing: Tracing;
  /** By namespace and name. */
  readonly entries: Map<string, ScheduleEntry>;
  /** Namespaces and names of schedules whose records exist, but cannot be read. */
  readonly unreadable: Set<string>;
  /** Changes of schedules, by unique ID. */
  readonly changes: KeyedQueue;
  readonly runs: RunIndex;
  /** Sets the time of the next decision about a schedule, in ms since 1970; `undefined` for none. */
  readonly planAt: (entry: ScheduleEntry, atMs: number | undefined) => void;
  /** Aborts when the gateway stops. */
  readonly ending: AbortSignal;
}

/** Returns the key of a schedule in `entries`. */
export function idOf({ namespace, name }: ScheduleName): string {
  return `${namespace}/${name}`;
}

/** Plans the next decision about a schedule for the time of its next run. */
export function planNextRun({ planAt }: Pick<SchedulesScope, "planAt">, entry: ScheduleEntry): void {
  planAt(entry, plannedRunOf(entry));
}

/** Returns a schedule as clients see it. */
export function toSchedule({ runs }: Pick<SchedulesScope, "runs">, entry: ScheduleEntry): GatewaySchedule {
  const { record, problem = record.problem } = entry;
  return { record, nextRunMs: plannedRunOf(entry), problem, runs: runs.of(record.uid) };
}

/** Returns the time of the next run, in ms since 1970; `undefined` if none starts. */
function plannedRunOf({ record: { isSuspended, isRemoved, nextRunMs }, next }: ScheduleEntry): number | undefined {
  return isSuspended || isRemoved === true || next === undefined ? undefined : nextRunMs;
}
