import { messageOf } from "../../errors/message-of.ts";
import { backoff } from "../../net/backoff.ts";
import { idOf, type ScheduleEntry, type SchedulesScope } from "./scope.ts";

/**
 * Removes the applications of a schedule that a client has removed, then its record: a removal that is interrupted continues at the next
 * start.
 */
export async function removeRuns(
  { host, log, store, applications, entries, runs, ending }: SchedulesScope,
  { record }: ScheduleEntry,
  by: string | undefined,
): Promise<void> {
  const { namespace, name: schedule, key, uid } = record;
  const { wait } = backoff(host.clock, host.random);
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
