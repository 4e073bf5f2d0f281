import { type Result, success } from "../../errors/issue.ts";
import type { ScheduleSpec } from "../application.ts";
import { schemaIssues } from "../read/read-application.ts";
import { flag, integerFrom, object, oneOf, text, withoutNulls } from "../schema/schema.ts";
import { type OwnApplication, ownSchema } from "./own-application.ts";
import { readOwnApplication } from "./translate-own.ts";

/** An application in Firesteel's own format with the times of its runs. */
export interface OwnSchedule extends Omit<ScheduleSpec, "template"> {
  readonly application: OwnApplication;
}

/** Schema of `OwnSchedule`. */
export const ownScheduleSchema = object({
  "schedule!": text,
  timeZone: text,
  concurrencyPolicy: oneOf("Allow", "Forbid", "Replace"),
  suspend: flag,
  successfulRunHistoryLimit: integerFrom(0),
  failedRunHistoryLimit: integerFrom(0),
  "application!": ownSchema,
});

/**
 * Checks a document against the own format of schedules. Without `concurrencyPolicy`, it is `Allow`, as for a CronJob.
 *
 * Errors, all together: SUBMIT_ERR_MANIFEST_FIELD, SUBMIT_ERR_MANIFEST_FIELD_UNKNOWN, SUBMIT_ERR_MANIFEST_RULE.
 */
export function readOwnSchedule(file: string, document: unknown): Result<OwnSchedule> {
  const value = withoutNulls(document);
  const issues = schemaIssues(file, value, ownScheduleSchema);
  if (!isOwnSchedule(value, issues.length)) return { ok: false, issues };
  const application = readOwnApplication(file, value.application);
  return application.ok ? success({ ...value, concurrencyPolicy: value.concurrencyPolicy ?? "Allow" }) : application;
}

function isOwnSchedule(value: unknown, problems: number): value is OwnSchedule {
  return typeof value === "object" && problems === 0;
}
