import type { Host } from "../../host/host.ts";
import type { NewSchedule, ScheduleName, ScheduleRecord } from "../model/schedules.ts";
import { sha256Hex } from "../sha256-hex.ts";

/** Builds the record of a new schedule, which has no time of a run yet. */
export function newScheduleRecord(
  schedule: NewSchedule,
  { clock, random }: Pick<Host, "clock" | "random">,
): ScheduleRecord {
  return {
    ...{ ...schedule, key: scheduleKey(schedule) },
    ...{ uid: random.uuid(), requestDigest: scheduleDigest(schedule), createdMs: clock.now() },
  };
}

/** Returns the key of the record of a schedule. */
export function scheduleKey({ namespace, name }: ScheduleName): string {
  return `schedule-${sha256Hex(`${namespace}/${name}`).slice(0, 32)}`;
}

/** Returns a digest of everything that a request says about a schedule. */
export function scheduleDigest(schedule: NewSchedule): string {
  const { namespace, name, owner, rules, application, queue, priority, isSuspended } = schedule;
  return sha256Hex(JSON.stringify([namespace, name, owner, rules, application, queue, priority, isSuspended]));
}
