import type { Issue } from "../../errors/issue.ts";
import { isSubmitError, messageOf } from "../../errors/submit-error.ts";
import { isTransient } from "../../kube/is-transient.ts";
import { backoff } from "../../net/backoff.ts";
import { scheduleTimes } from "../../spark-application/schedule/schedule-times.ts";
import { retryAfterSeconds } from "../model/applications.ts";
import type { CreateScheduleResult, NewSchedule, ScheduleRecord } from "../model/schedules.ts";
import { changeEntry, ownerGroupsOf, storeChanges } from "./change-schedule.ts";
import { nextRunOf } from "./decide-schedule.ts";
import { newScheduleRecord, scheduleDigest } from "./new-schedule-record.ts";
import { runApplication } from "./run-application.ts";
import { maxNameLength, scheduleIssues } from "./schedule-issues.ts";
import { idOf, planNextRun, type ScheduleEntry, type SchedulesScope, toSchedule } from "./scope.ts";

/** Creates a schedule, or finds it. Of requests with one name, call it for one after another. */
export async function createSchedule(scope: SchedulesScope, schedule: NewSchedule): Promise<CreateScheduleResult> {
  const known = scope.entries.get(idOf(schedule));
  try {
    return await (known === undefined ? create(scope, schedule) : repeat(scope, schedule, known));
  } catch (error) {
    scope.log("WARN", "A schedule cannot be stored.", { reason: messageOf(error) });
    if (isSubmitError(error) && !isTransient(error)) return { kind: "rejected", issues: error.issues };
    return unavailable(messageOf(error));
  }
}

async function create(scope: SchedulesScope, schedule: NewSchedule): Promise<CreateScheduleResult> {
  const { host, store, entries, unreadable } = scope;
  const id = idOf(schedule);
  const record = newScheduleRecord(schedule, host);
  const issues = await issuesOfSchedule(scope, record);
  if (issues.length > 0) return { kind: "rejected", issues };
  const entry = newEntry(scope, record);
  // One that is suspended gets the time of its first run when it is resumed.
  if (entry.next !== undefined && !record.isSuspended)
    entry.record = { ...record, nextRunMs: nextRunOf(record, entry.next, record.createdMs) };
  if (!(await store.create(entry.record))) {
    unreadable.add(id);
    return { kind: "unreadable" };
  }
  unreadable.delete(id);
  entries.set(id, entry);
  planNextRun(scope, entry);
  return { kind: "created", schedule: toSchedule(scope, entry) };
}

async function issuesOfSchedule({ check }: SchedulesScope, record: ScheduleRecord): Promise<readonly Issue[]> {
  // A name that is too long is reported once.
  const run = runApplication({ ...record, name: record.name.slice(0, maxNameLength) }, record.createdMs);
  return [...scheduleIssues(record), ...(run.ok ? await check(run.value) : run.issues)];
}

async function repeat(
  scope: SchedulesScope,
  schedule: NewSchedule,
  known: ScheduleEntry,
): Promise<CreateScheduleResult> {
  if (known.record.isRemoved === true) return unavailable("The earlier schedule is being removed.");
  if (known.record.requestDigest !== scheduleDigest(schedule)) return { kind: "conflict" };
  const { owner: user, ownerGroups: groups } = schedule;
  await changeEntry(scope, known, () => storeChanges(scope, known, ownerGroupsOf(known.record, { user, groups })));
  return { kind: "repeated", schedule: toSchedule(scope, known) };
}

function unavailable(reason: string): CreateScheduleResult {
  return { kind: "unavailable", reason, retryAfterSeconds };
}

/** Creates the entry of a record that this or another process has stored. */
export function newEntry({ log, host }: Pick<SchedulesScope, "log" | "host">, record: ScheduleRecord): ScheduleEntry {
  const { namespace, name: schedule, rules } = record;
  const times = scheduleTimes(idOf(record), rules);
  const retries = backoff(host.clock, host.random);
  if (times.ok) return { record, next: times.value, problem: undefined, retries };
  // Time zones can be missing after an update of Node.
  const reason = times.issues.map(({ message }) => message).join(" ");
  log("ERROR", "A schedule starts no runs, because its times are invalid.", { namespace, schedule, reason });
  const problem = `It starts no runs. ${reason} Delete the schedule, and create it with other times.`;
  return { record, next: undefined, problem, retries };
}
