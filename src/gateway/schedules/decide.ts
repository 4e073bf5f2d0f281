import { messageOf } from "../../errors/message-of.ts";
import { decideSchedule } from "./decide-schedule.ts";
import { type ScheduleEntry, type SchedulesScope, update } from "./scope.ts";
import { startedRun, startRun } from "./start-run.ts";

/** Delay after a decision that failed. */
const retryMs = 10_000;

/** Starts a run of a schedule if it is due, and plans the next decision. */
export async function decide(scope: SchedulesScope, entry: ScheduleEntry): Promise<void> {
  if (scope.ending.aborted || entry.record.isRemoved === true) return;
  try {
    scope.planAt(entry, await actNow(scope, entry));
  } catch (error) {
    const { namespace, name: schedule } = entry.record;
    const reason = messageOf(error);
    scope.log("WARN", "A run of a schedule cannot be started, and is started again.", { namespace, schedule, reason });
    scope.planAt(entry, scope.host.clock.now() + retryMs);
  }
}

/** @returns the time of the next decision */
async function actNow(scope: SchedulesScope, entry: ScheduleEntry): Promise<number | undefined> {
  const { host, log, applications, runs } = scope;
  const { record, next } = entry;
  const { namespace, name: schedule } = record;
  const decision = decideSchedule({ record, next, runs: runs.of(record.uid), nowMs: host.clock.now() });
  const { nextMs } = decision;
  switch (decision.kind) {
    case "wait":
      break;
    case "skip":
      log("INFO", "A run of a schedule is due, but the last one has not ended.", { namespace, schedule });
      break;
    case "started":
      await update(scope, entry, { nextRunMs: nextMs, ...startedRun(decision.run, decision.scheduledMs) });
      break;
    case "start": {
      for (const key of decision.replaced) {
        log("INFO", "A schedule kills its last run, which the next one replaces.", { namespace, schedule, key });
        await applications.kill(key, `schedule ${schedule}`);
      }
      const changes = await startRun({ submit: applications.submit, log }, record, decision.scheduledMs);
      await update(scope, entry, { nextRunMs: nextMs, ...changes });
      // Those that are left are removed with the next run.
      for (const key of decision.expired) await applications.remove(key, undefined);
    }
  }
  return nextMs;
}
