import type { NextTime } from "../../cron/zoned-schedule.ts";
import { messageOf } from "../../errors/message-of.ts";
import type { ScheduleRecord } from "../model/schedules.ts";
import { storeChanges } from "./change-schedule.ts";
import { decideSchedule } from "./decide-schedule.ts";
import { planNextRun, type ScheduleEntry, type SchedulesScope } from "./scope.ts";
import { startedRun, startRun } from "./start-run.ts";

/** Starts the run of a schedule if it is due, and plans the next decision. */
export async function runDue(scope: SchedulesScope, entry: ScheduleEntry): Promise<void> {
  const { ending, host, log, planAt } = scope;
  if (ending.aborted || entry.next === undefined) return;
  try {
    await decideNow(scope, entry, entry.next);
    entry.problem = undefined;
    planNextRun(scope, entry);
  } catch (error) {
    const { namespace, name: schedule } = entry.record;
    const reason = messageOf(error);
    log("WARN", "A step of a schedule has failed, and is repeated.", { namespace, schedule, reason });
    entry.problem = reason;
    planAt(entry, host.clock.now() + entry.retries.nextDelayMs());
  }
}

async function decideNow(scope: SchedulesScope, entry: ScheduleEntry, next: NextTime): Promise<void> {
  const { host, log, runs } = scope;
  const { record } = entry;
  const { namespace, name: schedule } = record;
  const decision = decideSchedule({ record, next, runs: runs.of(record.uid), nowMs: host.clock.now() });
  const { nextRunMs } = decision;
  switch (decision.kind) {
    case "wait":
      await store(scope, entry, { nextRunMs });
      break;
    case "skip":
      log("INFO", "A run of a schedule is left out, because the last one has not ended.", { namespace, schedule });
      await store(scope, entry, { nextRunMs });
      break;
    case "started":
      await store(scope, entry, { nextRunMs, ...startedRun(decision.run, decision.scheduledMs) });
      break;
    case "start":
      await store(scope, entry, { nextRunMs, ...(await startRun(scope, record, decision)) });
      await removeExpired(scope, record, decision.expired);
  }
}

/** @throws Error with the reason if the schedule is not stored */
async function store(scope: SchedulesScope, entry: ScheduleEntry, changes: Partial<ScheduleRecord>): Promise<void> {
  try {
    await storeChanges(scope, entry, changes);
  } catch (error) {
    throw new Error(`The schedule cannot be stored: ${messageOf(error)}`, { cause: error });
  }
}

/** Removes ended runs. Those that are left are removed with the next run. */
async function removeExpired(
  { applications, log }: SchedulesScope,
  { namespace, name: schedule }: ScheduleRecord,
  keys: readonly string[],
): Promise<void> {
  for (const key of keys)
    try {
      await applications.remove(key, undefined);
    } catch (error) {
      log("WARN", "An ended run of a schedule cannot be removed.", {
        ...{ namespace, schedule, key },
        reason: messageOf(error),
      });
    }
}
