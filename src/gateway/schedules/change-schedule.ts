import { hasCode } from "../../errors/submit-error.ts";
import type { Requester, ScheduleRecord } from "../model/schedules.ts";
import { nextRunOf } from "./decide-schedule.ts";
import { idOf, planNextRun, type ScheduleEntry, type SchedulesScope } from "./scope.ts";

/** Changes a schedule after earlier changes of it, unless it is removed. A schedule without a record does not exist afterwards. */
export function changeEntry(
  { changes, entries }: Pick<SchedulesScope, "changes" | "entries">,
  entry: ScheduleEntry,
  change: () => Promise<void>,
): Promise<void> {
  return changes.run(entry.record.uid, async () => {
    if (isRemoved(entry)) return;
    await change();
    if (isRemoved(entry)) entries.delete(idOf(entry.record));
  });
}

function isRemoved({ record }: ScheduleEntry): boolean {
  return record.isRemoved === true;
}

/**
 * Stores changes of the record of a schedule, if there are any. If another program has deleted the record, the schedule is removed.
 *
 * @throws SubmitError if it is not stored; then it is unchanged
 */
export async function storeChanges(
  { store, log }: Pick<SchedulesScope, "store" | "log">,
  entry: ScheduleEntry,
  changes: Partial<ScheduleRecord>,
): Promise<void> {
  const record = { ...entry.record, ...changes };
  if (JSON.stringify(record) === JSON.stringify(entry.record)) return;
  try {
    await store.update(record);
    entry.record = record;
  } catch (error) {
    if (!hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND")) throw error;
    const { namespace, name: schedule } = record;
    log("WARN", "The record of a schedule was deleted, not through this gateway.", { namespace, schedule });
    entry.record = { ...record, isRemoved: true };
  }
}

/** Stops the start of runs, or permits it again. @throws SubmitError if it is not stored */
export async function setSuspended(
  scope: SchedulesScope,
  entry: ScheduleEntry,
  { isSuspended, by }: { readonly isSuspended: boolean; readonly by: Requester },
): Promise<void> {
  const { record, next } = entry;
  const nowMs = scope.host.clock.now();
  const isResumed = record.isSuspended && !isSuspended;
  await storeChanges(scope, entry, {
    ...{ isSuspended, ...ownerGroupsOf(record, by) },
    ...(isResumed && next !== undefined && { nextRunMs: nextRunOf(record, next, nowMs) }),
  });
  if (record.isSuspended === isSuspended) return;
  if (next !== undefined) entry.problem = undefined;
  planNextRun(scope, entry);
}

/** Returns the groups of the owner now, if the owner sends the request: later runs act as them. */
export function ownerGroupsOf(
  { owner }: Pick<ScheduleRecord, "owner">,
  { user, groups }: Requester,
): Partial<ScheduleRecord> {
  return user === owner && groups !== undefined ? { ownerGroups: groups } : {};
}
