import { driverPodName } from "../../conf/entries/driver.ts";
import { issue, type Result } from "../../errors/issue.ts";
import { readOwnApplication, translateOwn } from "../../spark-application/own/translate-own.ts";
import type { Submission } from "../model/application.ts";

/** A submission with the name of its application. */
interface NamedSubmission {
  readonly name: string;
  readonly submission: Submission;
}

/** Name of the request in messages. */
const source = "the request";

/**
 * Reads an application in Firesteel's own format, as `firesteel apply` does. Its driver gets a name of its own, because
 * the same application can be submitted again.
 *
 * Errors: SUBMIT_ERR_MANIFEST_…, every problem.
 */
export function readSubmission(text: string): Result<NamedSubmission> {
  const document = parseJson(text);
  if (document === undefined) {
    const problem = "is not valid JSON";
    return { ok: false, issues: [issue("SUBMIT_ERR_MANIFEST_FIELD", { file: source, path: "body", problem })] };
  }
  const application = readOwnApplication(source, document);
  if (!application.ok) return application;
  const { fields, settings, resource, appArgs } = translateOwn(source, application.value);
  const { name } = application.value;
  const { conf = {} } = application.value;
  const own = settings.filter(({ key }) => key !== driverPodName.key || conf[driverPodName.key] !== undefined);
  const submission = {
    ...{ fields, resource, appArgs, templates: {} },
    settings: Object.fromEntries(own.map(({ key, value }) => [key, value])),
  };
  return { ok: true, value: { name, submission } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
