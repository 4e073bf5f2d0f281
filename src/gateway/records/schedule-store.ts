import type { ScheduleRecord } from "../model/schedules.ts";
import { parseScheduleRecord } from "./parse-record.ts";
import { type SecretRecords, type SecretRecordsCall, secretRecords } from "./secret-records.ts";

/** Keeps the records of schedules as Secrets. */
export function scheduleStore(call: SecretRecordsCall): SecretRecords<ScheduleRecord> {
  return secretRecords(call, {
    ...{ secretType: "firesteel.dev/schedule", label: "firesteel.dev/gateway-schedule" },
    ...{ field: "schedule.json", parse: parseScheduleRecord },
  });
}
