import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import { failure, type Result, success } from "../../errors/issue.ts";
import {
  applicationApiVersion,
  type ScheduledSparkApplication,
  type SparkApplication,
} from "../../spark-application/application.ts";
import { readOwnSchedule } from "../../spark-application/own/own-schedule.ts";
import { isOwnFormat } from "../../spark-application/own/translate-own.ts";
import { isSchedule, readApplication } from "../../spark-application/read/read-application.ts";
import type { NewSchedule } from "../model/schedules.ts";
import { scheduleIssues } from "../schedules/schedule-issues.ts";
import { requestName, toSubmission } from "../submit/to-submission.ts";
import { type BodyFormat, readDocument } from "./read-document.ts";

/** Schedule of a request. */
export interface ReadSchedule extends Pick<NewSchedule, "name" | "rules" | "application" | "isSuspended"> {
  /** @default the gateway's */
  readonly namespace: string | undefined;
  /** Sentences about fields that have no effect, or another one than with the Spark operator. */
  readonly warnings: readonly string[];
}

type Draft = Omit<ReadSchedule, "namespace">;

/**
 * Reads a ScheduledSparkApplication, or a schedule in Firesteel's own format.
 *
 * Errors: SUBMIT_ERR_MANIFEST_…, every problem that makes it unreadable.
 */
export async function readSchedule(text: string, format: BodyFormat): Promise<Result<ReadSchedule>> {
  const document = await readDocument(text, format);
  if (!document.ok) return document;
  const draft = isOwnFormat(document.value) ? readOwn(document.value) : readScheduledSparkApplication(document.value);
  if (!draft.ok) return draft;
  const { application, warnings } = draft.value;
  const submission = toSubmission(application);
  // The creation reports them together with the problems of the settings.
  if (!submission.ok) return { ok: false, issues: [...scheduleIssues(draft.value), ...submission.issues] };
  const namespace = submission.value.submission.settings[namespaceEntry.key] || undefined;
  return success({ ...draft.value, namespace, warnings: [...warnings, ...submission.value.warnings] });
}

function readOwn(document: unknown): Result<Draft> {
  const read = readOwnSchedule(requestName, document);
  if (!read.ok) return read;
  const { application, suspend = false, ...rules } = read.value;
  return success({ name: application.name, rules, application, isSuspended: suspend, warnings: [] });
}

function readScheduledSparkApplication(document: unknown): Result<Draft> {
  const read = readApplication(requestName, document);
  if (!read.ok) return read;
  if (!isSchedule(read.value)) {
    const found = "a SparkApplication, which belongs to /api/v1/applications";
    const allowed = "a ScheduledSparkApplication, or a schedule in the own format";
    return failure("SUBMIT_ERR_MANIFEST_KIND", { file: requestName, found, allowed });
  }
  const { metadata, spec } = read.value;
  const { template: _, suspend = false, ...rules } = spec;
  const application = runTemplate(read.value);
  return success({
    ...{ name: metadata.name, rules, application, isSuspended: suspend },
    warnings: policyWarnings(rules.concurrencyPolicy),
  });
}

/** Returns the SparkApplication of each run: the operator copies labels, but no annotations. */
function runTemplate({ metadata, spec }: ScheduledSparkApplication): SparkApplication {
  const { name, namespace, labels } = metadata;
  return {
    apiVersion: applicationApiVersion,
    kind: "SparkApplication",
    metadata: { name, ...(namespace !== undefined && { namespace }), ...(labels !== undefined && { labels }) },
    spec: spec.template,
  };
}

/** The operator accepts any text, and then starts a run only if no earlier one exists. */
function policyWarnings(policy = ""): readonly string[] {
  if (["Allow", "Forbid", "Replace"].includes(policy)) return [];
  const found = policy === "" ? "is not set" : `is "${policy}", which is unknown`;
  return [
    `${requestName}: spec.concurrencyPolicy ${found}, so a run starts only if no earlier one exists, as with the Spark operator. Use Allow, Forbid or Replace.`,
  ];
}
