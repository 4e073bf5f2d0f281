import type { OpenApplications } from "../applications/open-applications.ts";
import type { ScheduleName, Schedules } from "../model/schedules.ts";
import { creator, newEntry } from "./create-schedule.ts";
import { decide } from "./decide.ts";
import { removeRuns } from "./remove-runs.ts";
import { runIndex } from "./run-index.ts";
import { scheduleTimer } from "./schedule-timer.ts";
import { idOf, inOrder, type ScheduleEntry, type SchedulesScope, toSchedule, update } from "./scope.ts";

/** Dependencies of the schedules of a gateway. */
export interface SchedulesCall extends Pick<SchedulesScope, "host" | "log" | "store" | "check"> {
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
  let hasStarted = false;
  const timer = scheduleTimer(host.clock, (id) => {
    const entry = entries.get(id);
    if (entry !== undefined) void inOrder(entry, () => decide(scope, entry));
  });
  const scope: SchedulesScope = {
    ...{ ...call, entries, runs: runIndex(applications), ending: ending.signal },
    planAt(entry, atMs) {
      entry.nextMs = atMs;
      if (hasStarted && !ending.signal.aborted) timer.set(idOf(entry.record), atMs);
    },
  };
  for (const record of await store.list()) entries.set(idOf(record), newEntry(scope, record));
  void applications.synced.then(() => {
    hasStarted = true;
    for (const entry of entries.values())
      if (entry.record.isRemoved === true) void inOrder(entry, () => removeRuns(scope, entry, undefined));
      else scope.planAt(entry, entry.nextMs);
  });
  const find = (name: ScheduleName): ScheduleEntry | undefined => {
    const entry = entries.get(idOf(name));
    return entry?.record.isRemoved === true ? undefined : entry;
  };
  return {
    create: creator(scope),
    get(name) {
      const entry = find(name);
      return entry && toSchedule(scope, entry);
    },
    list() {
      const shown = [...entries].filter(([, { record }]) => record.isRemoved !== true);
      return shown.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => toSchedule(scope, entry));
    },
    async setSuspended(name, isSuspended) {
      const entry = find(name);
      if (entry !== undefined) await inOrder(entry, () => setSuspended(scope, entry, isSuspended));
    },
    async remove(name, by) {
      const entry = find(name);
      if (entry === undefined) return;
      await inOrder(entry, () => update(scope, entry, { isRemoved: true }));
      scope.planAt(entry, undefined);
      void inOrder(entry, () => removeRuns(scope, entry, by));
    },
    async close() {
      ending.abort();
      timer.stop();
      scope.runs.close();
      await Promise.all([...entries.values()].map(({ changing }) => changing));
    },
  };
}

async function setSuspended(scope: SchedulesScope, entry: ScheduleEntry, isSuspended: boolean): Promise<void> {
  const { record, next } = entry;
  if (record.isSuspended === isSuspended || record.isRemoved === true) return;
  if (isSuspended) {
    await update(scope, entry, { isSuspended });
    scope.planAt(entry, undefined);
  } else {
    const nextRunMs = record.nextRunMs ?? next(scope.host.clock.now());
    await update(scope, entry, { isSuspended, nextRunMs });
    scope.planAt(entry, nextRunMs);
  }
}
