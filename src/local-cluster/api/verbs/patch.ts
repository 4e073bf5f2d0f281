import { goQuoted } from "../../../values/go-quoted.ts";
import { ownMember } from "../../../values/own-member.ts";
import { expiryOf } from "../admission/webhooks/expiry.ts";
import type { Action, ActionResult, ApiScope, Call } from "../call.ts";
import { goTypeOf, isArray, isObject, type JsonObject } from "../json.ts";
import type { Draft } from "../object.ts";
import {
  applyJsonPatch,
  maxPatchOperations,
  PatchError,
  PatchFormatError,
  parseJsonPatch,
  unknownOperationFields,
} from "../patches/json-patch.ts";
import { applyMergePatch } from "../patches/merge-patch.ts";
import { applyStrategicMerge, DirectiveError } from "../patches/strategic-merge.ts";
import type { StructType } from "../schema/schema.ts";
import { maxStrictErrors, strictErrors } from "../schema/strict-errors.ts";
import {
  badRequest,
  invalid,
  patchRejected,
  tooLarge,
  unsupportedCustomPatchType,
  unsupportedPatchType,
} from "../status.ts";
import { runSteps, type Steps } from "../steps.ts";
import { invalidValue } from "../validation/field-error.ts";
import { mediaType, type RawBody, textOf } from "../wire/body.ts";
import { parseJson } from "../wire/parse-json.ts";
import { apply } from "./apply.ts";
import { checkNamespace } from "./check-namespace.ts";
import { find } from "./get.ts";
import type { InsertOptions } from "./insert.ts";
import { decodePatchedObject, PatchedObjectError } from "./read-object.ts";
import { checkName, replace, untilStored } from "./update.ts";
import { writeOptions } from "./write-options.ts";

/** Patches one object or its status; the content type names the format. */
export const patch: Action = (api, call) => {
  const type = patchType(call.raw);
  if (type === "strategic" && call.kind.custom !== undefined) throw unsupportedCustomPatchType();
  if (type === "apply") return apply(api, call);
  const options = { ...writeOptions(call.query, "PatchOptions"), expires: expiryOf(api, call) };
  return runSteps(untilStored(() => tryPatch(api, call, { type, options })));
};

function* tryPatch(
  api: ApiScope,
  call: Call,
  { type, options }: { readonly type: PatchType; readonly options: InsertOptions },
): Steps<ActionResult | undefined> {
  const current = find(api, call);
  const document = call.kind.conversion?.fromStored(current) ?? current;
  const patched = patchDocument(call.raw, { document, type, structure: call.kind.type });
  const draft = decodePatched(call, patched, options);
  checkName(call, draft);
  checkNamespace(call, draft);
  return yield* replace(api, call, draft, { ...options, current });
}

type PatchType = "json" | "merge" | "strategic" | "apply";

const types: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** Parses the content type of a patch. @throws StatusError 415 */
export function patchType(raw: RawBody): PatchType {
  const found = ownMember(types, mediaType(raw) ?? "");
  if (found === undefined) throw unsupportedPatchType();
  return found;
}

/** The result of applying a patch to a document. */
export interface Patched {
  readonly document: JsonObject;
  /** Prints what error messages quote: the result or the patch. */
  readonly shown: () => string;
  /** Warnings about the patch itself. */
  readonly patchWarnings: readonly string[];
}

interface PatchRequest {
  readonly document: JsonObject;
  readonly type: PatchType;
  readonly structure: StructType;
}

/**
 * Applies a patch to a document.
 *
 * @throws StatusError 400 for text that is not a patch, 413 for too many operations, 422 for a patch that does not fit
 */
export function patchDocument(raw: RawBody, request: PatchRequest): Patched {
  try {
    return applyPatch(textOf(raw), request);
  } catch (error) {
    if (error instanceof DirectiveError) throw badRequest(error.message);
    if (error instanceof PatchError) throw patchRejected();
    if (error instanceof PatchFormatError) throw badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

function applyPatch(text: string, { document, type, structure }: PatchRequest): Patched {
  const content = parsePatch(text, type);
  const repeated = strictErrors(text, "anything");
  switch (type) {
    case "json": {
      const operations = parseJsonPatch(content);
      if (operations.length > maxPatchOperations) throw tooManyOperations(operations.length);
      const unknown = unknownOperationFields(operations).map((field) => `unknown field ${goQuoted(field)}`);
      const patchWarnings = [...repeated, ...unknown].slice(0, maxStrictErrors);
      const result = applyJsonPatch(document, operations);
      return shownResult(
        result,
        patchWarnings.map((warning) => `json patch ${warning}`),
      );
    }
    case "strategic": {
      const patch = content === null ? {} : objectOf(content, type);
      const merged = applyStrategicMerge(document, patch, structure);
      // The kind in the patch has no effect.
      const typed = { ...merged, apiVersion: document["apiVersion"], kind: document["kind"] };
      return { document: typed, shown: () => goMap(patch), patchWarnings: repeated };
    }
    default:
      if (content === null) throw badRequest("Invalid JSON Patch");
      return shownResult(applyMergePatch(document, objectOf(content, type)), repeated);
  }
}

function tooManyOperations(count: number) {
  return tooLarge(`The allowed maximum operations in a JSON patch is ${maxPatchOperations}, got ${count}`);
}

function objectOf(content: unknown, type: PatchType): JsonObject {
  if (isObject(content)) return content;
  throw undecodable(`json: cannot unmarshal ${goTypeOf(content)} into Go value of type map[string]interface {}`, type);
}

function parsePatch(text: string, type: PatchType): unknown {
  const parsed = parseJson(text);
  if ("fault" in parsed) throw undecodable(parsed.fault, type);
  return parsed.value;
}

function undecodable(fault: string, type: PatchType) {
  return badRequest(type === "strategic" ? fault : `error decoding patch: ${fault}`);
}

function shownResult(document: unknown, patchWarnings: readonly string[]): Patched {
  if (!isObject(document)) throw patchRejected();
  return { document, shown: () => JSON.stringify(withoutDepths(document)), patchWarnings };
}

/** Levels of a document that messages quote. JSON.stringify cannot print thousands of them. */
const shownLevels = 100;

function withoutDepths(value: unknown, levels = shownLevels): unknown {
  if (levels === 0) return typeof value === "object" && value !== null ? "..." : value;
  if (isArray(value)) return value.map((item) => withoutDepths(item, levels - 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withoutDepths(field, levels - 1)]));
}

/** Prints a map as Go does, e.g. `map[a:1 b:map[c:d]]`. */
function goMap(value: unknown, levels = shownLevels): string {
  if (levels === 0) return "...";
  if (isArray(value)) return `[${value.map((item) => goMap(item, levels - 1)).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${name}:${goMap(value[name], levels - 1)}`);
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
    throw invalid({ group: "", kind: "", plural: "" }, "", [invalidValue("patch", shown(), error.message)]);
  }
}
