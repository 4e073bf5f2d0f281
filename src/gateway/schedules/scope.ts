import type { NextTime } from "../../cron/zoned-schedule.ts";
import type { Issue } from "../../errors/issue.ts";
import type { Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import type { Applications, NewApplication } from "../model/applications.ts";
import type { GatewaySchedule, ScheduleName, ScheduleRecord } from "../model/schedules.ts";
import type { Records } from "../records/record-store.ts";
import type { RunIndex } from "./run-index.ts";

/** Mutable state of a schedule in this process. */
export interface ScheduleEntry {
  record: ScheduleRecord;
  readonly next: NextTime;
  /** Time of the next decision, in ms since 1970. */
  nextMs: number | undefined;
  /** Resolves when the latest change has ended. */
  changing: Promise<unknown>;
}

/** Everything that the parts of the schedules share. */
export interface SchedulesScope {
  readonly host: Pick<Host, "clock" | "random">;
  readonly log: ServerLog;
  readonly store: Records<ScheduleRecord>;
  readonly applications: Pick<Applications, "submit" | "kill" | "remove">;
  /** Returns every problem of an application, without storing it. */
  readonly check: (application: NewApplication) => Promise<readonly Issue[]>;
  /** By namespace and name. */
  readonly entries: Map<string, ScheduleEntry>;
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

/** Changes a schedule after earlier changes of it. */
export function inOrder<T>(entry: ScheduleEntry, change: () => Promise<T>): Promise<T> {
  const changed = entry.changing.then(change);
  entry.changing = changed.catch(() => {});
  return changed;
}

/** Changes the record of a schedule. @throws SubmitError if it is not stored; then it is unchanged */
export async function update(
  { store }: Pick<SchedulesScope, "store">,
  entry: ScheduleEntry,
  changes: Partial<ScheduleRecord>,
): Promise<void> {
  const record = { ...entry.record, ...changes };
  await store.update(record);
  entry.record = record;
}

/** Returns a schedule as clients see it. */
export function toSchedule({ runs }: Pick<SchedulesScope, "runs">, { record, nextMs }: ScheduleEntry): GatewaySchedule {
  return { record, nextMs: record.isSuspended ? undefined : nextMs, runs: runs.of(record.uid) };
}
