import { failure, type Result, success } from "../../errors/issue.ts";
import { messageOf } from "../../errors/message-of.ts";
import { parseDocuments } from "../../spark-application/read/parse-documents.ts";
import { requestName } from "../submit/to-submission.ts";

/** Format of a body. */
export type BodyFormat = "json" | "yaml";

/** Returns the format of a body by its header `Content-Type`; `undefined` for another one. */
export function formatOf(type = ""): BodyFormat | undefined {
  if (/^application\/json(;|$)/i.test(type)) return "json";
  return /^application\/yaml(;|$)/i.test(type) ? "yaml" : undefined;
}

/** Parses a body. Errors: SUBMIT_ERR_MANIFEST_FIELD. */
export async function readDocument(text: string, format: BodyFormat): Promise<Result<unknown>> {
  return format === "json" ? parseJson(text) : parseYaml(text);
}

function parseJson(text: string): Result<unknown> {
  try {
    return success(JSON.parse(text));
  } catch {
    return failure("SUBMIT_ERR_MANIFEST_FIELD", { file: requestName, path: "body", problem: "is not valid JSON" });
  }
}

async function parseYaml(text: string): Promise<Result<unknown>> {
  const invalid = (problem: string) =>
    failure("SUBMIT_ERR_MANIFEST_FIELD", { file: requestName, path: "body", problem });
  try {
    const [document, ...others] = await parseDocuments(text);
    return document === undefined || others.length > 0 ? invalid("is not one YAML document") : success(document);
  } catch (error) {
    return invalid(`is not valid YAML: ${messageOf(error)}`);
  }
}
