import { keyedQueue } from "../../net/keyed-queue.ts";
import type { OpenApplications } from "../applications/open-applications.ts";
import type { ScheduleName, Schedules } from "../model/schedules.ts";
import { changeEntry, setSuspended, storeChanges } from "./change-schedule.ts";
import { createSchedule, newEntry } from "./create-schedule.ts";
import { scheduleKey } from "./new-schedule-record.ts";
import { removeRuns } from "./remove-runs.ts";
import { runDue } from "./run-due.ts";
import { runIndex } from "./run-index.ts";
import { scheduleTimer } from "./schedule-timer.ts";
import { idOf, type ScheduleEntry, type SchedulesScope, toSchedule } from "./scope.ts";

/** Dependencies of the schedules of a gateway. */
export interface SchedulesCall extends Pick<SchedulesScope, "host" | "log" | "store" | "check" | "tracing"> {
  readonly applications: Pick<OpenApplications, "submit" | "kill" | "remove" | "list" | "get" | "onChange" | "synced">;
}

/** Schedules that are open. */
export interface OpenSchedules extends Schedules {
  /** Starts no further run, and waits for the changes that run. */
  readonly close: () => Promise<void>;
}

/** Reads the schedules, and starts their runs once the states of earlier applications are known. @throws SubmitError */
export async function openSchedules(call: SchedulesCall): Promise<OpenSchedules> {
  const { host, store, applications } = call;
  const ending = new AbortController();
  const entries = new Map<string, ScheduleEntry>();
  const creations = keyedQueue();
  let isSynced = false;
  const runInOrder = (entry: ScheduleEntry) => void changeEntry(scope, entry, () => runDue(scope, entry));
  const timer = scheduleTimer(host.clock, (id) => {
    const entry = entries.get(id);
    if (entry !== undefined) runInOrder(entry);
  });
  const scope: SchedulesScope = {
    ...{ ...call, entries, unreadable: new Set(), changes: keyedQueue() },
    ...{ runs: runIndex(applications), ending: ending.signal },
    planAt(entry, atMs) {
      if (isSynced && !ending.signal.aborted) timer.set(idOf(entry.record), atMs);
    },
  };
  // Before the pods are known, the drivers of its runs would be left.
  const continueRemoval = (entry: ScheduleEntry, by: string | undefined) => {
    if (isSynced) void scope.changes.run(entry.record.uid, () => removeRuns(scope, entry, by));
  };
  for (const record of await store.list()) entries.set(idOf(record), newEntry(scope, record));
  void applications.synced.then(() => {
    isSynced = true;
    for (const entry of entries.values())
      if (entry.record.isRemoved === true) continueRemoval(entry, undefined);
      else runInOrder(entry);
  });
  const find = (name: ScheduleName): ScheduleEntry | undefined => {
    const entry = entries.get(idOf(name));
    return entry?.record.isRemoved === true ? undefined : entry;
  };
  const removeUnreadable = async (name: ScheduleName) => {
    if (!scope.unreadable.has(idOf(name))) return false;
    await store.remove(scheduleKey(name));
    return scope.unreadable.delete(idOf(name));
  };
  return {
    create: (schedule) => creations.run(idOf(schedule), () => createSchedule(scope, schedule)),
    get(name) {
      const entry = find(name);
      return entry && toSchedule(scope, entry);
    },
    list() {
      const shown = [...entries].filter(([, { record }]) => record.isRemoved !== true);
      return shown.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => toSchedule(scope, entry));
    },
    async setSuspended(name, isSuspended, by) {
      const entry = find(name);
      if (entry !== undefined) await changeEntry(scope, entry, () => setSuspended(scope, entry, { isSuspended, by }));
    },
    async remove(name, by) {
      const entry = find(name);
      if (entry === undefined) return creations.run(idOf(name), () => removeUnreadable(name));
      await scope.changes.run(entry.record.uid, async () => {
        // A request at the same time has removed it.
        if (entry.record.isRemoved === true) return;
        await storeChanges(scope, entry, { isRemoved: true });
        scope.planAt(entry, undefined);
        continueRemoval(entry, by);
      });
      return true;
    },
    async close() {
      ending.abort();
      timer.stop();
      scope.runs.close();
      await scope.changes.idle();
    },
  };
}
