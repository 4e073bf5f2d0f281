import type { CronJobSpec, CronJobStatus } from "kubernetes-types/batch/v1.d.ts";
import { CronSyntaxError } from "../../../../cron/cron-field.ts";
import { parseCronSchedule } from "../../../../cron/cron-schedule.ts";
import { findTimeZone } from "../../../../cron/time-zone.ts";
import type { Draft } from "../../object.ts";
import { type FieldError, invalidValue, notSupported, required } from "../../validation/field-error.ts";
import type { Rules } from "../rules.ts";
import { fillPodConditions, jobSpecErrors } from "./job-spec.ts";
import { fillTemplate, negativeErrors, warnOfName, warnOfTemplate } from "./template.ts";

type CronJobObject = Draft & { spec: CronJobSpec; status: CronJobStatus };

/** The names of its jobs have 11 more characters. */
const maxNameLength = 52;

const policies = ["Allow", "Forbid", "Replace"];

/** The rules of CronJobs. */
export const cronJobRules: Rules<CronJobObject> = {
  hasStatus: true,
  generation: "spec",
  fill({ spec }) {
    if ((spec.concurrencyPolicy ?? "") === "") spec.concurrencyPolicy = "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    const job = spec.jobTemplate?.spec;
    if (job === undefined) return;
    fillPodConditions(job);
    fillTemplate(job);
  },
  prepare(cronJob) {
    cronJob.status = {};
  },
  validate: ({ spec, metadata: { name = "" } }) => [
    ...specErrors(spec, undefined),
    ...(name.length > maxNameLength
      ? [invalidValue("metadata.name", name, `must be no more than ${maxNameLength} characters`)]
      : []),
  ],
  validateUpdate: ({ spec }, old) => specErrors(spec, old.spec),
  warn: ({ metadata: { name = "" }, spec }) => [
    ...warnOfName(name),
    ...warnOfTemplate({ template: spec.jobTemplate?.spec?.template }, "spec.jobTemplate.spec.template.spec"),
  ],
};

function specErrors(spec: CronJobSpec, old: CronJobSpec | undefined): FieldError[] {
  const { jobTemplate, concurrencyPolicy = "", timeZone } = spec;
  const job = jobTemplate?.spec ?? { template: {} };
  const path = "spec.jobTemplate.spec";
  return [
    ...scheduleErrors(spec, old),
    ...negativeErrors({ "spec.startingDeadlineSeconds": spec.startingDeadlineSeconds }),
    ...(timeZone === undefined || timeZone === old?.timeZone ? [] : timeZoneErrors(timeZone)),
    ...(policies.includes(concurrencyPolicy)
      ? []
      : [notSupported("spec.concurrencyPolicy", concurrencyPolicy, policies)]),
    ...jobSpecErrors({ ...job, template: job.template ?? {} }, path),
    ...(job.selector === undefined
      ? []
      : [invalidValue(`${path}.selector`, job.selector, "`selector` will be auto-generated")]),
    ...(job.manualSelector === true ? [notSupported(`${path}.manualSelector`, true, ["nil", "false"])] : []),
    ...negativeErrors({
      "spec.successfulJobsHistoryLimit": spec.successfulJobsHistoryLimit,
      "spec.failedJobsHistoryLimit": spec.failedJobsHistoryLimit,
    }),
  ];
}

function scheduleErrors({ schedule = "", timeZone }: CronJobSpec, old: CronJobSpec | undefined): FieldError[] {
  const field = "spec.schedule";
  if (schedule === "") return [required(field)];
  const fault = scheduleFault(schedule);
  const isAllowed = old?.schedule.includes("TZ") === true;
  const zoneFault = !schedule.includes("TZ")
    ? undefined
    : !isAllowed
      ? "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
      : timeZone === undefined
        ? undefined
        : "cannot use both timeZone field and TZ or CRON_TZ in schedule";
  return [fault, zoneFault].flatMap((text) => (text === undefined ? [] : [invalidValue(field, schedule, text)]));
}

/** Returns Kubernetes' message about an invalid schedule. */
function scheduleFault(schedule: string): string | undefined {
  const zone = /^(?:CRON_)?TZ=([^ ]*)( ?)/.exec(schedule);
  if (zone !== null && zone[2] === "") return "invalid schedule format: runtime error: slice bounds out of range";
  const [prefix = "", name = ""] = zone ?? [];
  if (zone !== null && findTimeZone(name) === undefined)
    return `provided bad location ${name}: unknown time zone ${name}`;
  try {
    parseCronSchedule(schedule.slice(prefix.length).trim());
    return undefined;
  } catch (error) {
    if (error instanceof CronSyntaxError) return error.message;
    throw error;
  }
}

function timeZoneErrors(timeZone: string): FieldError[] {
  const field = "spec.timeZone";
  if (timeZone === "") return [invalidValue(field, timeZone, "timeZone must be nil or non-empty string")];
  const explicit = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  const isLocal = timeZone.toLowerCase() === "local";
  return [
    ...(isLocal ? [invalidValue(field, timeZone, explicit)] : []),
    ...(timeZone === "Local" || findTimeZone(timeZone) !== undefined
      ? []
      : [invalidValue(field, timeZone, `unknown time zone ${timeZone}`)]),
  ];
}
