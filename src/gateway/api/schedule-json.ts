import type { GatewayApplication } from "../model/application.ts";
import type { GatewaySchedule } from "../model/schedules.ts";
import { timeText } from "./time-text.ts";

/** A schedule as the API shows it. */
export type ScheduleJson = ReturnType<typeof scheduleJson>;

/** Returns a schedule as the API shows it, without its application: settings can contain credentials. */
export function scheduleJson({ record, nextRunMs, problem, runs }: GatewaySchedule) {
  const { namespace, name, owner, queue, priority, rules, isSuspended, createdMs, lastRun } = record;
  return {
    ...{ namespace, name, owner, queue, priority, ...rules, suspend: isSuspended },
    createdAt: timeText(createdMs),
    nextRunAt: timeText(nextRunMs),
    ...(lastRun !== undefined && {
      lastRun: {
        ...{ key: lastRun.key, name: lastRun.name },
        state: runs.find((run) => run.record.key === lastRun.key)?.state,
        ...{ scheduledAt: timeText(lastRun.scheduledMs), startedAt: timeText(lastRun.startedMs) },
      },
    }),
    problem,
  };
}

/** Returns a schedule with its runs, the newest first. */
export function scheduleDetails(schedule: GatewaySchedule) {
  return { ...scheduleJson(schedule), runs: schedule.runs.map(runJson) };
}

function runJson({ record, state }: GatewayApplication) {
  const { key, name, schedule, acceptedMs, end } = record;
  return {
    ...{ key, name, state },
    ...{ scheduledAt: timeText(schedule?.scheduledMs), startedAt: timeText(acceptedMs), endedAt: timeText(end?.atMs) },
  };
}
