import { messageOf } from "../../errors/message-of.ts";
import { scheduleTimes } from "../../spark-application/schedule/schedule-times.ts";
import type { CreateScheduleResult, NewSchedule, ScheduleRecord } from "../model/schedules.ts";
import { newScheduleRecord, scheduleDigest } from "./new-schedule-record.ts";
import { runApplication } from "./run-application.ts";
import { maxNameLength, scheduleIssues } from "./schedule-issues.ts";
import { idOf, type ScheduleEntry, type SchedulesScope, toSchedule } from "./scope.ts";

const retryAfterSeconds = 5;

/** Returns the function that creates schedules. Of concurrent requests with one name, one creates it, and the others find it. */
export function creator(scope: SchedulesScope): (schedule: NewSchedule) => Promise<CreateScheduleResult> {
  const pending = new Map<string, Promise<unknown>>();
  return async (schedule) => {
    const id = idOf(schedule);
    for (let earlier = pending.get(id); earlier !== undefined; earlier = pending.get(id)) await earlier;
    const result = create(scope, schedule);
    pending.set(id, result);
    try {
      return await result;
    } finally {
      pending.delete(id);
    }
  };
}

async function create(scope: SchedulesScope, schedule: NewSchedule): Promise<CreateScheduleResult> {
  const { host, log, store, check, entries, planAt } = scope;
  const known = entries.get(idOf(schedule));
  if (known !== undefined) return repeated(scope, schedule, known);
  const record = newScheduleRecord(schedule, host);
  try {
    // A name that is too long is reported once.
    const run = runApplication({ ...record, name: record.name.slice(0, maxNameLength) }, record.createdMs);
    const issues = [...scheduleIssues(schedule), ...(run.ok ? await check(run.value) : run.issues)];
    if (issues.length > 0) return { kind: "rejected", issues };
    const entry = newEntry(scope, record);
    // One that is suspended gets the time of its first run when it is resumed.
    if (!record.isSuspended) entry.record = { ...record, nextRunMs: entry.next(record.createdMs) };
    if (!(await store.create(entry.record))) return { kind: "conflict" };
    entries.set(idOf(record), entry);
    planAt(entry, entry.record.nextRunMs);
    return { kind: "created", schedule: toSchedule(scope, entry) };
  } catch (error) {
    log("WARN", "A schedule cannot be stored.", { reason: messageOf(error) });
    return { kind: "unavailable", reason: messageOf(error), retryAfterSeconds };
  }
}

function repeated(scope: SchedulesScope, schedule: NewSchedule, known: ScheduleEntry): CreateScheduleResult {
  if (known.record.isRemoved === true)
    return { kind: "unavailable", reason: "The earlier schedule is being removed.", retryAfterSeconds };
  const isSame = known.record.requestDigest === scheduleDigest(schedule);
  return isSame ? { kind: "repeated", schedule: toSchedule(scope, known) } : { kind: "conflict" };
}

/** Creates the entry of a record that this or another process has stored. */
export function newEntry({ log }: Pick<SchedulesScope, "log">, record: ScheduleRecord): ScheduleEntry {
  const { namespace, name: schedule, rules, nextRunMs } = record;
  const times = scheduleTimes(idOf(record), rules);
  if (times.ok) return { record, next: times.value, nextMs: nextRunMs, changing: Promise.resolve() };
  // Time zones can be missing after an update of Node.
  const reason = times.issues.map(({ message }) => message).join(" ");
  log("ERROR", "A schedule starts no runs, because its times are invalid.", { namespace, schedule, reason });
  return { record, next: () => undefined, nextMs: undefined, changing: Promise.resolve() };
}
