import type { SettingOrigin } from "../../conf/setting.ts";
import { type Result, success } from "../../errors/issue.ts";
import { nameOfCause } from "../../explain/cause.ts";
import { explainSubmission } from "../../explain/explain.ts";
import { redactionOf } from "../../explain/redact-field.ts";
import { type DriverSubmitter, renderRecord, type SubmissionDraft } from "./submit-driver.ts";

/** A setting in effect. Secrets are hidden, as `spark.redaction.regex` defines. */
interface ExplainedSetting {
  readonly key: string;
  readonly value: string;
  readonly origin: string;
}

/** A field of an object that a submission creates. */
interface ExplainedObjectField {
  readonly object: string;
  readonly path: string;
  readonly value: unknown;
  /** Feature steps that set it. */
  readonly steps: readonly string[];
  /** Settings and other inputs on which it depends. */
  readonly causes: readonly string[];
}

/** Origins of everything that a submission creates. */
export interface Explanation {
  readonly settings: readonly ExplainedSetting[];
  readonly fields: readonly ExplainedObjectField[];
}

/** Explains the submission of a record without contacting the API. Errors: those of the submission. */
export async function explainDriver(submitter: DriverSubmitter, record: SubmissionDraft): Promise<Result<Explanation>> {
  const rendered = await renderRecord(submitter, record);
  if (!rendered.ok) return rendered;
  const { request, driver, executor, userSteps } = rendered.value;
  const explained = explainSubmission({ request, facts: driver.facts, executor, userSteps });
  if (!explained.ok) return explained;
  const redaction = redactionOf(driver.conf);
  return success({
    settings: driver.conf.settings().map(({ key, value, origin }) => {
      return { key, value: redaction.ofSetting(key, value), origin: printOrigin(origin) };
    }),
    fields: explained.value.fields.map((field) => {
      const { object, path, steps, causes } = field;
      const value = redaction.ofField(field, field.value);
      return { object, path, value, steps, causes: causes.map(nameOfCause) };
    }),
  });
}

/** Options that the gateway sets for every application. */
const gatewayFields: ReadonlySet<string> = new Set(["master", "deployMode"]);

function printOrigin(origin: SettingOrigin): string {
  switch (origin.kind) {
    case "conf":
      return "set by the request";
    case "option":
      return gatewayFields.has(origin.option) ? "set by the gateway" : `field ${origin.option} of the request`;
    case "client":
      return origin.why;
    case "file":
      return origin.path;
    case "environment":
      return `environment ${origin.variable}`;
  }
}
