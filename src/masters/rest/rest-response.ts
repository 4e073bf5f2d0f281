import { failure, type Result, success } from "../../errors/issue.ts";
import { messageOf } from "../../errors/submit-error.ts";
import { type Fields, isFields } from "../../values/fields.ts";
import type { RestReply } from "./rest-exchange.ts";

/** Response types with their required fields. Source: Spark SubmitRestProtocolResponse. */
const responseTypes = {
  CreateSubmissionResponse: ["success"],
  KillSubmissionResponse: ["submissionId", "success"],
  KillAllSubmissionResponse: ["success"],
  SubmissionStatusResponse: ["submissionId", "success"],
  ClearResponse: ["success"],
  ReadyzResponse: ["success"],
  ErrorResponse: ["message"],
} as const;

/** Name of a response type. */
export type ResponseType = keyof typeof responseTypes;

/** Parsed response of a gateway. */
export interface RestResponse {
  readonly type: ResponseType;
  /** HTTP status. */
  readonly status: number;
  readonly success: boolean;
  readonly message: string | undefined;
  readonly submissionId: string | undefined;
  /** E.g. SUBMITTED, RUNNING, FINISHED; of a dispatcher of Mesos also QUEUED, RETRYING, NOT_FOUND. */
  readonly driverState: string | undefined;
  readonly workerId: string | undefined;
  readonly workerHostPort: string | undefined;
  readonly serverSparkVersion: string | undefined;
}

const javaPackage = "org.apache.spark.deploy.rest";

/**
 * Parses a response: JSON with its type. Any status other than 200 is an error
 * response, except 500 without JSON, which is malformed.
 *
 * Errors: SUBMIT_ERR_REST_MALFORMED, SUBMIT_ERR_REST_RESPONSE_UNKNOWN.
 * Source: Spark RestSubmissionClient.readResponse; recorded with Spark 3.5.9 to 4.3.0.
 */
export function parseRestResponse(reply: RestReply): Result<RestResponse> {
  const { status, contentType, text } = reply;
  if (status === 200) return parseBody(reply);
  if (status === 500 && !contentType.includes("application/json")) {
    const cause = `${javaPackage}.SubmitRestProtocolException: Server responded with exception:\nSome(${text})`;
    return malformed(cause, "it is an error without JSON (HTTP 500)");
  }
  const fields = parseFields(text);
  const message = fields.ok ? textField(fields.value, "message") : undefined;
  return success(responseOf("ErrorResponse", status, { message: message ?? (pageText(text) || "no reason given") }));
}

function parseBody({ status, text }: RestReply): Result<RestResponse> {
  const fields = parseFields(text);
  if (!fields.ok) return fields;
  const action = textField(fields.value, "action");
  if (action === undefined) {
    const fault = "Action field not found in JSON";
    return malformed(`${javaPackage}.SubmitRestMissingFieldException: ${fault}:\n${text}`, fault);
  }
  if (!isResponseType(action)) {
    return action === "CreateSubmissionRequest"
      ? malformed(`${javaPackage}.SubmitRestProtocolException: Message received from server was not a response`)
      : failure("SUBMIT_ERR_REST_RESPONSE_UNKNOWN", { action });
  }
  const missing = ["serverSparkVersion", ...responseTypes[action]].find((name) => isMissing(fields.value, name));
  return missing === undefined
    ? success(responseOf(action, status, fields.value))
    : malformed(
        `${javaPackage}.SubmitRestProtocolException: Validation of message ${action} failed!`,
        `'${missing}' is missing in message ${action}`,
      );
}

function parseFields(text: string): Result<Fields> {
  try {
    const value: unknown = JSON.parse(text);
    // A value other than an object has no fields.
    return success(isFields(value) ? value : {});
  } catch (error) {
    const reason = text.trim() === "" ? "the body is empty" : messageOf(error);
    return malformed(`com.fasterxml.jackson.core.JsonParseException: ${reason}`, reason);
  }
}

function malformed(cause: string, reason = cause): Result<never> {
  return failure("SUBMIT_ERR_REST_MALFORMED", { cause, reason });
}

function responseOf(type: ResponseType, status: number, fields: Fields): RestResponse {
  const text = (name: string) => textField(fields, name);
  return {
    ...{ type, status, success: text("success") === "true", message: text("message") },
    ...{ submissionId: text("submissionId"), driverState: text("driverState"), workerId: text("workerId") },
    ...{ workerHostPort: text("workerHostPort"), serverSparkVersion: text("serverSparkVersion") },
  };
}

/** Converts an HTML page to one line of text. */
function pageText(text: string): string {
  const beginning = text.slice(0, maxPageChars);
  const plain = /^\s*</.test(beginning)
    ? beginning.replace(/<(style|head|script)\b(?:(?!<\1\b)[\s\S])*?<\/\1>/gi, " ").replace(/<[^<>]*>/g, " ")
    : beginning;
  return plain.replace(/\s+/g, " ").trim();
}

/** Maximum part of a page that is searched for text. */
const maxPageChars = 16_384;

function isResponseType(action: string): action is ResponseType {
  return Object.hasOwn(responseTypes, action);
}

function isMissing(fields: Fields, name: string): boolean {
  const value = textField(fields, name);
  return name === "success" ? value !== "true" && value !== "false" : value === undefined;
}

/** Converts numbers and booleans to text, as Jackson does. */
function textField(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
