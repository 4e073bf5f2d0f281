import { messageOf } from "../../errors/message-of.ts";
import { idOf, type ScheduleEntry, type SchedulesScope } from "./scope.ts";

/**
 * Removes the applications of a schedule that a client has removed, then its record: a removal that is interrupted continues at the next
 * start. Call it once: afterwards, another schedule can have the name.
 */
export async function removeRuns(
  { log, store, applications, entries, runs, ending }: SchedulesScope,
  { record, retries: { wait } }: ScheduleEntry,
  by: string | undefined,
): Promise<void> {
  const { namespace, name: schedule, key, uid } = record;
  while (!ending.aborted) {
    try {
      for (const run of runs.of(uid)) await applications.remove(run.record.key, by);
      await store.remove(key);
      entries.delete(idOf(record));
      return;
    } catch (error) {
      const reason = messageOf(error);
      log("WARN", "A schedule cannot be removed, and is removed again.", { namespace, schedule, reason });
      await wait(ending);
    }
  }
}
