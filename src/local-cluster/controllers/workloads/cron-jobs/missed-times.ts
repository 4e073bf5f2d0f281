import type { CronJobObject, NextTime } from "./cron-job-object.ts";

/** Number of missed times that a warning reports. */
const manyMissed = 100;

/** Times of a schedule up to now. All in ms since 1970. */
interface DueTimes {
  /** Start of the search: the last scheduled time, or the creation. */
  readonly earliest: number;
  /** Most recent time at which a job should have started. */
  readonly latest: number | undefined;
  readonly missed: number;
}

/** A schedule whose times do not exist, or are less than a second apart. */
export class InvalidSchedule extends Error {}

/**
 * Finds the most recent time of a schedule.
 *
 * Source: Kubernetes 1.35, pkg/controller/cronjob.
 *
 * @param maxAgeMs maximum age of the times; older ones are not found
 * @throws InvalidSchedule
 */
export function dueTimes(
  { metadata, status }: CronJobObject,
  next: NextTime,
  { now, maxAgeMs = Number.POSITIVE_INFINITY }: { readonly now: number; readonly maxAgeMs?: number | undefined },
): DueTimes {
  const since = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp ?? "");
  const earliest = Math.max(since, now - maxAgeMs);
  const first = next(earliest);
  const second = first === undefined ? undefined : next(first);
  if (first === undefined || second === undefined)
    throw new InvalidSchedule("time difference between two schedules is less than 1 second");
  if (now < first) return { earliest, latest: undefined, missed: 0 };
  if (now < second) return { earliest, latest: first, missed: 0 };
  const interval = second - first;
  const missed = Math.floor((now - first) / interval) + 1;
  let latest: number | undefined;
  // Assume regular intervals, go back one of them, and continue with the schedule.
  for (let time = next(first + (missed - 2) * interval); time !== undefined && time <= now; time = next(time))
    latest = time;
  return { earliest, latest, missed };
}

/** Whether more than 100 times were missed: the clock may be wrong. */
export function isSuspicious({ missed }: DueTimes): boolean {
  return missed > manyMissed;
}

/** Delay after a scheduled time, for clocks that differ. */
const paddingMs = 100;

/** Returns the delay until the next time of a schedule, in ms; `undefined` if there is none. */
export function delayUntilNext(cronJob: CronJobObject, next: NextTime, now: number): number | undefined {
  const time = next(searchStart(cronJob, next, now));
  return time === undefined ? undefined : Math.max(0, time + paddingMs - now);
}

function searchStart(cronJob: CronJobObject, next: NextTime, now: number): number {
  try {
    const { earliest, latest, missed } = dueTimes(cronJob, next, { now });
    return latest ?? (missed === 0 ? earliest : now);
  } catch (error) {
    if (error instanceof InvalidSchedule) return now;
    throw error;
  }
}
