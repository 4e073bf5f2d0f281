import { isObject, type JsonObject } from "../json.ts";
import type { Draft } from "../object.ts";
import { applyJsonPatch, PatchError, parseJsonPatch } from "../patches/json-patch.ts";
import { applyMergePatch } from "../patches/merge-patch.ts";
import { applyStrategicMerge, DirectiveError } from "../patches/strategic-merge.ts";
import type { StructType } from "../schema/schema.ts";
import { badRequest, invalid, patchRejected, unsupportedPatchType } from "../status.ts";
import { invalidValue } from "../validation/field-error.ts";
import { jsonFault, mediaType, type RawBody, textOf } from "../wire/body.ts";
import { apply } from "./apply.ts";
import type { Action, Call } from "./call.ts";
import { checkNamespace } from "./create.ts";
import { find } from "./get.ts";
import { decodeObject, PatchedObjectError } from "./read-object.ts";
import { replace } from "./update.ts";
import { writeOptions } from "./write-options.ts";

/** PATCH of one object, or of its status, in any of the four ways that its content type names. */
export const patch: Action = (api, call) => {
  const type = patchType(call.raw);
  if (type === "apply") return apply(api, call);
  const options = writeOptions(call.query, "PatchOptions");
  const current = find(api, call);
  const document = call.kind.conversion?.fromStored(current) ?? current;
  const patched = patchDocument(call.raw, { document, type, structure: call.kind.type });
  const draft = decodePatched(call, patched, options);
  const own = draft.metadata.name ?? "";
  if (own !== call.name) {
    throw badRequest(`the name of the object (${own}) does not match the name on the URL (${call.name})`);
  }
  checkNamespace(call, draft);
  return replace(api, call, draft, { ...options, current });
};

export type PatchType = "json" | "merge" | "strategic" | "apply";

const types: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** @throws StatusError 415 */
export function patchType(raw: RawBody): PatchType {
  const found = types[mediaType(raw) ?? ""];
  if (found === undefined) throw unsupportedPatchType();
  return found;
}

/** What a patch makes of a document. */
export interface Patched {
  readonly document: JsonObject;
  /** How messages show what was wrong: the result, or the patch. */
  readonly shown: string;
}

/** @throws StatusError 400 for a text that is no patch, 422 for one that does not fit */
export function patchDocument(
  raw: RawBody,
  { document, type, structure }: { document: JsonObject; type: PatchType; structure: StructType },
): Patched {
  const content = parsePatch(textOf(raw));
  try {
    switch (type) {
      case "json": {
        const operations = parseJsonPatch(content);
        if (operations === undefined) {
          throw badRequest(
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
          );
        }
        return shownResult(applyJsonPatch(document, operations));
      }
      case "strategic": {
        if (!isObject(content))
          throw badRequest(
            "error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}",
          );
        return { document: applyStrategicMerge(document, content, structure), shown: goMap(content) };
      }
      default:
        return shownResult(applyMergePatch(document, content));
    }
  } catch (error) {
    if (error instanceof DirectiveError) throw badRequest(error.message);
    if (error instanceof PatchError) throw patchRejected();
    throw error;
  }
}

function parsePatch(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${jsonFault(error)}`);
  }
}

function shownResult(document: unknown): Patched {
  if (!isObject(document)) throw patchRejected();
  return { document, shown: JSON.stringify(document) };
}

/** A map as Go prints it, e.g. `map[a:1 b:map[c:d]]`. */
function goMap(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goMap).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${name}:${goMap(value[name])}`);
  return `map[${fields.join(" ")}]`;
}

/** Reads what a patch made. @throws StatusError 422 */
function decodePatched(
  call: Call,
  { document, shown }: Patched,
  options: ReturnType<typeof writeOptions>,
): Draft {
  try {
    return decodeObject(call, { object: document, duplicates: [] }, { ...options, isPatched: true });
  } catch (error) {
    if (!(error instanceof PatchedObjectError)) throw error;
    throw invalid({ group: "", kind: "", plural: "" }, "", [invalidValue("patch", shown, error.message)]);
  }
}
