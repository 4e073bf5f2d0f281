import { CronSyntaxError } from "../../cron/cron-field.ts";
import { type NextTime, parseZonedSchedule } from "../../cron/zoned-schedule.ts";
import { failure, type Result, success } from "../../errors/issue.ts";
import type { ScheduleSpec } from "../application.ts";

/**
 * Parses the schedule of a ScheduledSparkApplication. `Local`, the default zone, is that of the operator's container: UTC.
 *
 * Errors: SUBMIT_ERR_MANIFEST_SCHEDULE.
 */
export function scheduleTimes(
  file: string,
  { schedule, timeZone = "" }: Pick<ScheduleSpec, "schedule" | "timeZone">,
): Result<NextTime> {
  try {
    return success(parseZonedSchedule(schedule, { timeZone }));
  } catch (error) {
    if (!(error instanceof CronSyntaxError)) throw error;
    return failure("SUBMIT_ERR_MANIFEST_SCHEDULE", { file, schedule, reason: error.message });
  }
}
