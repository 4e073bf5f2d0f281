import { failure, type Result } from "../../errors/issue.ts";
import { isOwnFormat, readOwnApplication } from "../../spark-application/own/translate-own.ts";
import { isApplication, readApplication } from "../../spark-application/read/read-application.ts";
import { type NamedSubmission, requestName, toSubmission } from "../submit/to-submission.ts";
import { type BodyFormat, readDocument } from "./read-document.ts";

/**
 * Reads an application in Firesteel's own format or a SparkApplication, as `firesteel apply` does.
 *
 * Errors: SUBMIT_ERR_MANIFEST_…, every problem.
 */
export async function readSubmission(text: string, format: BodyFormat): Promise<Result<NamedSubmission>> {
  const document = await readDocument(text, format);
  if (!document.ok) return document;
  return isOwnFormat(document.value) ? readOwn(document.value) : readSparkApplication(document.value);
}

function readOwn(document: unknown): Result<NamedSubmission> {
  const application = readOwnApplication(requestName, document);
  return application.ok ? toSubmission(application.value) : application;
}

function readSparkApplication(document: unknown): Result<NamedSubmission> {
  const resource = readApplication(requestName, document);
  if (!resource.ok) return resource;
  if (isApplication(resource.value)) return toSubmission(resource.value);
  const found = "a ScheduledSparkApplication, which belongs to /api/v1/schedules";
  const allowed = "a SparkApplication, or an application in the own format";
  return failure("SUBMIT_ERR_MANIFEST_KIND", { file: requestName, found, allowed });
}
