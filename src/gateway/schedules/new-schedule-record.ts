import { createHash } from "node:crypto";
import type { Host } from "../../host/host.ts";
import type { NewSchedule, ScheduleRecord } from "../model/schedules.ts";

/** Builds the record of a new schedule, which has no time of a run yet. */
export function newScheduleRecord(
  schedule: NewSchedule,
  { clock, random }: Pick<Host, "clock" | "random">,
): ScheduleRecord {
  const { namespace, name } = schedule;
  return {
    ...schedule,
    key: `schedule-${digestOf(`${namespace}/${name}`).slice(0, 32)}`,
    ...{ uid: random.uuid(), requestDigest: scheduleDigest(schedule), createdMs: clock.now() },
  };
}

/** Returns a digest of everything that a request says about a schedule. */
export function scheduleDigest(schedule: NewSchedule): string {
  const { namespace, name, owner, rules, application, queue, priority, isSuspended } = schedule;
  return digestOf(JSON.stringify([namespace, name, owner, rules, application, queue, priority, isSuspended]));
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
