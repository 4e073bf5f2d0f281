import type { Action, Call } from "../call.ts";
import { isArray, isObject, type JsonObject } from "../json.ts";
import type { Draft } from "../object.ts";
import { applyJsonPatch, PatchError, parseJsonPatch, unknownOperationFields } from "../patches/json-patch.ts";
import { applyMergePatch } from "../patches/merge-patch.ts";
import { applyStrategicMerge, DirectiveError } from "../patches/strategic-merge.ts";
import type { StructType } from "../schema/schema.ts";
import { badRequest, invalid, patchRejected, unsupportedPatchType } from "../status.ts";
import { goQuoted, invalidValue } from "../validation/field-error.ts";
import { jsonFault, mediaType, type RawBody, textOf } from "../wire/body.ts";
import { duplicateFields } from "../wire/duplicate-fields.ts";
import { apply } from "./apply.ts";
import { checkNamespace } from "./create.ts";
import { find } from "./get.ts";
import { decodePatchedObject, PatchedObjectError } from "./read-object.ts";
import { checkName, replace } from "./update.ts";
import { writeOptions } from "./write-options.ts";

/** Patches one object or its status; the content type names the format. */
export const patch: Action = (api, call) => {
  const type = patchType(call.raw);
  if (type === "apply") return apply(api, call);
  const options = writeOptions(call.query, "PatchOptions");
  const current = find(api, call);
  const document = call.kind.conversion?.fromStored(current) ?? current;
  const patched = patchDocument(call.raw, { document, type, structure: call.kind.type });
  const draft = decodePatched(call, patched, options);
  checkName(call, draft);
  checkNamespace(call, draft);
  return replace(api, call, draft, { ...options, current });
};

type PatchType = "json" | "merge" | "strategic" | "apply";

const types: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** Parses the content type of a patch. @throws StatusError 415 */
export function patchType(raw: RawBody): PatchType {
  const found = types[mediaType(raw) ?? ""];
  if (found === undefined) throw unsupportedPatchType();
  return found;
}

/** The result of applying a patch to a document. */
export interface Patched {
  readonly document: JsonObject;
  /** The text that error messages quote: the result or the patch. */
  readonly shown: string;
  /** Warnings about the patch itself. */
  readonly patchWarnings: readonly string[];
}

/** Applies a patch to a document. @throws StatusError 400 for text that is not a patch, 422 for a patch that does not fit */
export function patchDocument(
  raw: RawBody,
  { document, type, structure }: { document: JsonObject; type: PatchType; structure: StructType },
): Patched {
  const text = textOf(raw);
  const content = parsePatch(text);
  const repeated = duplicateFields(text).map((field) => `duplicate field ${goQuoted(field)}`);
  try {
    switch (type) {
      case "json": {
        const operations = parseJsonPatch(content);
        if (operations === undefined) {
          throw badRequest(
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
          );
        }
        const unknown = unknownOperationFields(operations).map((field) => `unknown field ${goQuoted(field)}`);
        const patchWarnings = [...repeated, ...unknown].map((warning) => `json patch ${warning}`);
        return shownResult(applyJsonPatch(document, operations), patchWarnings);
      }
      case "strategic": {
        const patch = content === null ? {} : objectOf(content);
        return {
          document: applyStrategicMerge(document, patch, structure),
          shown: goMap(patch),
          patchWarnings: repeated,
        };
      }
      default:
        if (content === null) throw badRequest("Invalid JSON Patch");
        return shownResult(applyMergePatch(document, objectOf(content)), repeated);
    }
  } catch (error) {
    if (error instanceof DirectiveError) throw badRequest(error.message);
    if (error instanceof PatchError) throw patchRejected();
    throw error;
  }
}

function objectOf(content: unknown): JsonObject {
  if (isObject(content)) return content;
  const found = isArray(content) ? "array" : typeof content === "boolean" ? "bool" : typeof content;
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
  );
}

function parsePatch(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${jsonFault(error)}`);
  }
}

function shownResult(document: unknown, patchWarnings: readonly string[]): Patched {
  if (!isObject(document)) throw patchRejected();
  return { document, shown: JSON.stringify(document), patchWarnings };
}

/** Prints a map as Go does, e.g. `map[a:1 b:map[c:d]]`. */
function goMap(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goMap).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${name}:${goMap(value[name])}`);
  return `map[${fields.join(" ")}]`;
}

/** Decodes a patched object. @throws StatusError 422 */
function decodePatched(
  call: Call,
  { document, shown, patchWarnings }: Patched,
  options: ReturnType<typeof writeOptions>,
): Draft {
  try {
    return decodePatchedObject(call, document, { ...options, patchWarnings });
  } catch (error) {
    if (!(error instanceof PatchedObjectError)) throw error;
    throw invalid({ group: "", kind: "", plural: "" }, "", [invalidValue("patch", shown, error.message)]);
  }
}
