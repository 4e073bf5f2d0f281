import { nearestName } from "../../conf/nearest-name.ts";
import { type Issue, issue, type Result, unlessIssues } from "../../errors/issue.ts";
import { type Fields, isFields } from "../../values/fields.ts";
import { applicationApiVersion, type ScheduledSparkApplication, type SparkApplication } from "../application.ts";
import { scheduledApplicationSchema, sparkApplicationSchema } from "../schema/application-schema.ts";
import { checkSchema, type Schema, withoutNulls } from "../schema/schema.ts";

/** A resource of the Spark operator. */
export type OperatorResource = SparkApplication | ScheduledSparkApplication;

/** Whether a document claims to be a resource of the Spark operator. */
export function isOperatorResource(document: unknown): document is Fields {
  return isFields(document) && typeof document["apiVersion"] === "string" && document["apiVersion"].startsWith(group);
}

const group = "sparkoperator.k8s.io/";

/**
 * Checks a document against the schema of its kind, and returns it with the types of the schema.
 *
 * Errors, all together: SUBMIT_ERR_MANIFEST_KIND, SUBMIT_ERR_MANIFEST_FIELD, SUBMIT_ERR_MANIFEST_FIELD_UNKNOWN.
 *
 * @param file path, for messages
 */
export function readApplication(file: string, document: unknown): Result<OperatorResource> {
  const value = withoutNulls(document);
  if (hasKind(value, "SparkApplication")) return checked(file, value, isApplication, sparkApplicationSchema);
  if (hasKind(value, "ScheduledSparkApplication")) return checked(file, value, isSchedule, scheduledApplicationSchema);
  return { ok: false, issues: [issue("SUBMIT_ERR_MANIFEST_KIND", { file, found: printKind(value), allowed })] };
}

const allowed = `a SparkApplication or ScheduledSparkApplication of ${applicationApiVersion}`;

function hasKind(value: unknown, kind: OperatorResource["kind"]): boolean {
  return isFields(value) && value["apiVersion"] === applicationApiVersion && value["kind"] === kind;
}

function printKind(value: unknown): string {
  if (!isFields(value)) return "no object";
  const [version, kind] = [value["apiVersion"], value["kind"]].map((text) =>
    typeof text === "string" && text !== "" ? text : undefined,
  );
  if (version === undefined || kind === undefined)
    return `an object without ${kind === undefined ? "kind" : "apiVersion"}`;
  return `${kind} of ${version}, which is not an application`;
}

/** Whether a value is a SparkApplication whose fields have the types of the schema. */
export function isApplication(value: unknown): value is SparkApplication {
  return hasKind(value, "SparkApplication") && checkSchema(value, sparkApplicationSchema, "").problems.length === 0;
}

/** Whether a value is a ScheduledSparkApplication whose fields have the types of the schema. */
export function isSchedule(value: unknown): value is ScheduledSparkApplication {
  return (
    hasKind(value, "ScheduledSparkApplication") &&
    checkSchema(value, scheduledApplicationSchema, "").problems.length === 0
  );
}

function checked<T extends OperatorResource>(
  file: string,
  value: unknown,
  isValid: (candidate: unknown) => candidate is T,
  schema: Schema,
): Result<T> {
  const issues = schemaIssues(file, value, schema);
  return isValid(value) ? unlessIssues(issues, value) : { ok: false, issues };
}

/** Lists the values that do not have their types, and the unknown fields. */
export function schemaIssues(file: string, value: unknown, schema: Schema): readonly Issue[] {
  const { problems, unknown } = checkSchema(value, schema, "");
  return [
    ...problems.map(({ path, problem }) => issue("SUBMIT_ERR_MANIFEST_FIELD", { file, path, problem })),
    ...unknown.map(({ path, name, known }) => {
      const at = path === "" ? "" : `${path}.`;
      const nearest = nearestName(name, known);
      return issue("SUBMIT_ERR_MANIFEST_FIELD_UNKNOWN", {
        file,
        path: `${at}${name}`,
        nearest: nearest === undefined ? undefined : `${at}${nearest}`,
      });
    }),
  ];
}
