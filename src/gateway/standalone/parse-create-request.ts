import { appName } from "../../conf/entries/app.ts";
import type { SparkLine } from "../../conf/spark-version.ts";
import { type Fields, isFields } from "../../values/fields.ts";
import { decodeUtf8 } from "../../values/utf8.ts";
import { parseFirstJson } from "./parse-first-json.ts";
import { propertyProblems } from "./property-problems.ts";

/** A request to create a driver. */
export interface CreateRequest {
  readonly appResource: string;
  readonly mainClass: string;
  readonly appArgs: readonly string[];
  readonly sparkProperties: Readonly<Record<string, string>>;
  readonly environmentVariables: Readonly<Record<string, string>>;
  /** Names of fields that the protocol does not define, in alphabetical order. */
  readonly unknownFields: readonly string[];
}

/** A request, or the message about everything that is wrong with it. */
export type ParsedCreateRequest =
  | { readonly ok: true; readonly request: CreateRequest }
  | { readonly ok: false; readonly message: string };

const requestAction = "CreateSubmissionRequest";

/** Messages that only servers send. */
const responseActions = [
  ...["CreateSubmissionResponse", "KillSubmissionResponse", "KillAllSubmissionResponse", "SubmissionStatusResponse"],
  ...["ClearResponse", "ReadyzResponse", "ErrorResponse"],
];

const knownFields = [
  ...["action", "clientSparkVersion", "message", "appResource", "mainClass", "appArgs", "sparkProperties"],
  "environmentVariables",
];

/**
 * Parses the body of a `create`. Scalars are converted to strings. Text after the JSON object is ignored.
 *
 * Source: Spark CreateSubmissionRequest; recorded with Spark 3.5.9 and 4.3.0.
 */
export function parseCreateRequest(body: Uint8Array, line: SparkLine): ParsedCreateRequest {
  const text = decodeUtf8(body);
  if (text === undefined) return malformed(["The body is not UTF-8."]);
  const json = parseFirstJson(text);
  if (!json.ok) return malformed([`The body is not valid JSON: ${json.reason}.`]);
  if (!isFields(json.value)) return malformed(["The body must be a JSON object."]);
  const fields = json.value;
  const { action } = fields;
  if (action == null) return malformed(["action is missing."]);
  if (typeof action === "string" && responseActions.includes(action))
    return { ok: false, message: `Received message of unexpected type ${action}.` };
  if (action !== requestAction) return malformed([`action must be ${requestAction}.`]);
  return readFields(fields, line);
}

function readFields(fields: Fields, line: SparkLine): ParsedCreateRequest {
  const problems: string[] = [];
  const isOlder = line === "3.5";
  const read = reader(fields, problems);
  read.text("clientSparkVersion");
  const request: CreateRequest = {
    appResource: read.text("appResource"),
    mainClass: read.text("mainClass"),
    appArgs: read.list("appArgs", isOlder),
    sparkProperties: read.map("sparkProperties", true),
    environmentVariables: read.map("environmentVariables", isOlder),
    unknownFields: Object.keys(fields)
      .filter((name) => !knownFields.includes(name))
      .sort(),
  };
  problems.push(...propertyProblems(request.sparkProperties, line));
  if (isOlder && fields["sparkProperties"] != null && request.sparkProperties[appName.key] === undefined)
    problems.push(`sparkProperties: ${appName.key} is missing.`);
  return problems.length === 0 ? { ok: true, request } : malformed(problems);
}

/** Readers of the fields of an object, which add what is wrong to the problems. */
function reader(fields: Fields, problems: string[]) {
  const isMissing = (name: string, isRequired: boolean) => {
    if (fields[name] != null) return false;
    if (isRequired) problems.push(`${name} is missing.`);
    return true;
  };
  const scalar = (name: string, value: unknown): string => {
    const text = scalarText(value);
    if (text === undefined) problems.push(`${name} must be a string, not ${describe(value)}.`);
    return text ?? "";
  };
  return {
    text: (name: string) => (isMissing(name, true) ? "" : scalar(name, fields[name])),
    list(name: string, isRequired: boolean): readonly string[] {
      const value = fields[name];
      if (isMissing(name, isRequired)) return [];
      if (Array.isArray(value)) return value.map((item: unknown, index) => scalar(`${name}[${index}]`, item));
      problems.push(`${name} must be a list of strings, not ${describe(value)}.`);
      return [];
    },
    map(name: string, isRequired: boolean): Readonly<Record<string, string>> {
      const value = fields[name];
      if (isMissing(name, isRequired)) return {};
      if (isFields(value))
        return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scalar(`${name}: ${key}`, item)]));
      problems.push(`${name} must be an object of strings, not ${describe(value)}.`);
      return {};
    },
  };
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function malformed(problems: readonly string[]): ParsedCreateRequest {
  return { ok: false, message: `Malformed request: ${problems.join(" ")}` };
}
