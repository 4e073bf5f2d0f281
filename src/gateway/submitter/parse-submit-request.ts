import { messageOf } from "../../errors/message-of.ts";
import { type Fields, isFields } from "../../values/fields.ts";
import { exceededJsonLimit, printJsonExcess } from "../../values/json-limits.ts";
import { decodeUtf8 } from "../../values/utf8.ts";

/** A request of the operator. */
export interface SubmitRequest {
  readonly submissionId: string;
  readonly args: readonly string[];
  /** Templates as they were sent: `null` or absent for none. */
  readonly templates: { readonly driver: unknown; readonly executor: unknown };
}

/** A request, or everything that is wrong with it. */
export type ParsedSubmitRequest =
  | { readonly ok: true; readonly request: SubmitRequest }
  /** The ID is empty if there is no valid one. */
  | { readonly ok: false; readonly submissionId: string; readonly problems: readonly string[] };

const jsonLimits = { maxDepth: 64, maxValues: 200_000, maxNameBytes: 4096 };

/** Names of the fields. Source: the operator's submission client. */
const names = { id: "submission_id", args: "spark_submit_args" } as const;

/** Parses the body of a request. Ignores fields that it does not know. */
export function parseSubmitRequest(body: Buffer): ParsedSubmitRequest {
  const exceeded = exceededJsonLimit(body, jsonLimits);
  if (exceeded !== undefined) return invalid("", [`The body ${printJsonExcess(exceeded, jsonLimits)}.`]);
  const text = decodeUtf8(body);
  if (text === undefined) return invalid("", ["The body is not UTF-8."]);
  const value = parseJson(text);
  if (typeof value === "string") return invalid("", [value]);
  const problems = [...idProblems(value), ...argsProblems(value)];
  const { [names.id]: id, [names.args]: args } = value;
  const submissionId = typeof id === "string" ? id : "";
  if (problems.length > 0 || !isTextList(args)) return invalid(submissionId, problems);
  const templates = { driver: value["driver_pod_template"], executor: value["executor_pod_template"] };
  return { ok: true, request: { submissionId, args, templates } };
}

function idProblems({ [names.id]: id }: Fields): readonly string[] {
  if (id == null || id === "") return [`${names.id} is missing.`];
  return typeof id === "string" ? [] : [`${names.id} must be a string.`];
}

function argsProblems({ [names.args]: args }: Fields): readonly string[] {
  if (args == null) return [`${names.args} is missing.`];
  if (!isTextList(args)) return [`${names.args} must be a list of strings.`];
  return args.length === 0 ? [`${names.args} is empty.`] : [];
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Returns the object of a text, or why there is none. */
function parseJson(text: string): Fields | string {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : "The body must be a JSON object.";
  } catch (error) {
    const position = /at position \d+/.exec(messageOf(error))?.[0];
    return `The body is not valid JSON${position === undefined ? "" : `: see ${position.slice(3)}`}.`;
  }
}

function invalid(submissionId: string, problems: readonly string[]): ParsedSubmitRequest {
  return { ok: false, submissionId, problems };
}
