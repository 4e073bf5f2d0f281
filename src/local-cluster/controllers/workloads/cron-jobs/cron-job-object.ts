import type { CronJobSpec, CronJobStatus } from "kubernetes-types/batch/v1.d.ts";
import type { CronSchedule } from "../../../../cron/cron-schedule.ts";
import { nextTime, parseCronSchedule } from "../../../../cron/cron-schedule.ts";
import { findTimeZone, type TimeZone, utc } from "../../../../cron/time-zone.ts";
import { isObject } from "../../../api/json.ts";
import type { StoredObject } from "../../../api/store.ts";
import type { PodSet } from "../pods.ts";

/** A stored CronJob. */
export interface CronJobObject extends PodSet {
  readonly spec: CronJobSpec;
  readonly status?: CronJobStatus;
}

/** Whether an object of the collection `cronjobs.batch` is a CronJob. */
export function isCronJob(object: StoredObject): object is CronJobObject {
  return object.kind === "CronJob" && isObject(object["spec"]);
}

/** Returns the time zone of a schedule; without `timeZone`, UTC. */
export function zoneOf({ timeZone }: CronJobSpec): TimeZone {
  return (timeZone === undefined ? undefined : findTimeZone(timeZone)) ?? utc;
}

/** Function that returns the next time after a time; `undefined` if there is none. */
export type NextTime = (afterMs: number) => number | undefined;

/** Parses the schedule of a CronJob. @throws CronSyntaxError */
export function scheduleOf({ spec }: CronJobObject): NextTime {
  const schedule: CronSchedule = parseCronSchedule(spec.schedule);
  const zone = zoneOf(spec);
  return (afterMs) => nextTime(schedule, afterMs, zone);
}
