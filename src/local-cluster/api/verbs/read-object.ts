import type { Call } from "../call.ts";
import { isArray, isObject, type JsonObject } from "../json.ts";
import { apiVersionOf, decodeAs, type Kind } from "../kinds/kind.ts";
import { findKind, kindsOfCollection } from "../kinds/table.ts";
import { type Draft, isDraft } from "../object.ts";
import { DecodeError, decode } from "../schema/decode.ts";
import { findStructType } from "../schema/schema.ts";
import { maxStrictErrors, strictErrors, unknownFieldErrors } from "../schema/strict-errors.ts";
import { badRequest } from "../status.ts";
import { type Body, checkCustomKind, checkKind, ofKind, parseBody } from "../wire/body.ts";
import { repeatedFault } from "../wire/yaml.ts";
import type { WriteOptions } from "./write-options.ts";

/**
 * Parses the object in a request's body and sets its kind's defaults. Unknown and duplicate fields are rejected, reported as
 * warnings, or ignored, depending on `fieldValidation`.
 *
 * @throws StatusError 400, 415
 */
export function readObject(call: Call, options: WriteOptions): Draft {
  const body = parseBody(call.raw, call.kind);
  const { kind } = call;
  checkVersion(body.object, kind);
  const object =
    kind.custom === undefined ? checkKind(body.object, kind, isServed) : checkCustomKind(body.object, kind, call.raw);
  return decodeObject(call, { ...body, object }, options);
}

/** Rejects an object of the kind in another version that the API serves. @throws StatusError 400 */
function checkVersion({ apiVersion, kind: name }: JsonObject, kind: Kind): void {
  const isOther = (version: Kind) => version !== kind && apiVersionOf(version) === apiVersion;
  if ((name ?? kind.kind) !== kind.kind || !kindsOfCollection(kind.collection).some(isOther)) return;
  const expected = apiVersionOf(kind);
  throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${expected})`);
}

/** An error in the result of a patch. */
export class PatchedObjectError extends Error {}

function isServed(apiVersion: string, kind: string): boolean {
  return /^(.*\/)?v1$/.test(apiVersion) && findStructType(apiVersion, kind) !== undefined;
}

/**
 * Decodes the result of a patch. `patchWarnings` are warnings about the patch itself.
 *
 * @throws PatchedObjectError
 */
export function decodePatchedObject(
  call: Pick<Call, "kind" | "warnings">,
  document: JsonObject,
  options: Pick<WriteOptions, "fieldValidation"> & { readonly patchWarnings: readonly string[] },
): Draft {
  const { checked, fault } = ofKind(document, call.kind, isServed);
  if (fault !== undefined) throw new PatchedObjectError(fault);
  return decodeObject(call, { object: checked }, options);
}

/** Decodes an object of the call's kind from JSON. `patchWarnings` is set for the result of a patch. */
export function decodeObject(
  call: Pick<Call, "kind" | "warnings">,
  { object, text, repeated = [] }: Body,
  {
    fieldValidation,
    patchWarnings,
  }: Pick<WriteOptions, "fieldValidation"> & { readonly patchWarnings?: readonly string[] },
): Draft {
  const { kind } = call;
  const isPatched = patchWarnings !== undefined;
  const errorFor = (fault: string) => (isPatched ? new PatchedObjectError(fault) : unreadable(kind, fault));
  const decoded = tryDecode(kind, object, errorFor);
  if (fieldValidation !== "Ignore") {
    const found =
      text === undefined ? unknownFieldErrors(decoded.unknown) : strictFieldErrors(kind, text, decoded.unknown);
    const errors = [...(patchWarnings ?? []), ...(repeated.length === 0 ? [] : [repeatedFault(repeated)]), ...found];
    if (errors.length > 0 && fieldValidation === "Strict") {
      throw errorFor(`strict decoding error: ${errors.join(", ")}`);
    }
    call.warnings.push(...(patchWarnings ?? []), ...repeated, ...found);
  }
  const stored = kind.conversion === undefined ? decoded.object : { ...kind.conversion.toStored(decoded.object) };
  if (!isDraft(stored)) throw errorFor("no metadata");
  if (isEmptyList(object, "managedFields")) stored.metadata.managedFields = [{}];
  call.warnings.push(...removeDuplicateOwners(stored.metadata));
  kind.rules.fill?.(stored);
  return stored;
}

/** Returns the errors of unknown and duplicate fields in JSON. */
function strictFieldErrors(kind: Kind, text: string, unknown: readonly string[]): readonly string[] {
  if (kind.custom === undefined) return strictErrors(text, kind.type);
  return [...strictErrors(text, "anything"), ...unknownFieldErrors(unknown)].slice(0, maxStrictErrors);
}

/** Whether a list in the metadata is empty but present: clients reset managedFields so. Decoding omits empty lists. */
function isEmptyList({ metadata }: JsonObject, name: string): boolean {
  const list = isObject(metadata) ? metadata[name] : undefined;
  return isArray(list) && list.length === 0;
}

/** Removes duplicate owner references; returns the warning about them. */
function removeDuplicateOwners(metadata: Draft["metadata"]): string[] {
  const known = new Set<string>();
  const repeated: string[] = [];
  const owners = (metadata.ownerReferences ?? []).filter((owner) => {
    // Decoded references have their fields in the same order.
    const text = JSON.stringify(owner);
    if (known.has(text)) repeated.push(owner.uid);
    return !known.has(text) && known.add(text);
  });
  if (repeated.length === 0) return [];
  metadata.ownerReferences = owners;
  return [
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject " +
      `such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(", ")}`,
  ];
}

function tryDecode(kind: Kind, object: JsonObject, errorFor: (fault: string) => Error) {
  try {
    return decodeAs(kind, object);
  } catch (error) {
    if (error instanceof DecodeError) throw errorFor(error.message);
    throw error;
  }
}

function unreadable(kind: Kind, fault: string) {
  return badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${fault}`);
}

type ActionKind = Pick<Kind, "group" | "version" | "kind" | "plural">;

/** Rejects an object of another kind. @throws StatusError 400 */
function checkConversion({ kind: sent, apiVersion }: JsonObject, kind: ActionKind): void {
  if (typeof sent !== "string" || sent === "" || sent === kind.kind) return;
  const version = typeof apiVersion === "string" ? apiVersion.slice(apiVersion.indexOf("/") + 1) : "v1";
  const expected = `${kind.group.split(".")[0] || "core"}.${kind.kind}`;
  throw badRequest(
    `${sent} in version "${version}" cannot be handled as a ${kind.kind}: converting (${version}.${sent}) to (${expected}): unknown conversion`,
  );
}

/** Rejects an object with another namespace than the path. @throws StatusError 400 */
function checkSameNamespace({ namespace }: Call, { metadata }: JsonObject): void {
  const own = isObject(metadata) ? metadata["namespace"] : undefined;
  if (namespace === undefined || typeof own !== "string" || own === "" || own === namespace) return;
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** Parses an object of a kind that is not stored: a review, a token request, a binding. @throws StatusError 400 */
export function readAction(call: Call, kind: ActionKind): JsonObject {
  const body = parseBody(call.raw, kind);
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  const known = findKind(kind.group, kind.version, kind.plural);
  const type = known?.type ?? findStructType(apiVersion, kind.kind);
  if (type === undefined) throw badRequest(`no kind "${kind.kind}" is registered`);
  checkConversion(body.object, kind);
  checkSameNamespace(call, body.object);
  try {
    const { object, unknown } = decode(type, body.object);
    call.warnings.push(...(body.text === undefined ? unknownFieldErrors(unknown) : strictErrors(body.text, type)));
    return {
      ...object,
      apiVersion,
      kind: kind.kind,
      metadata: isObject(object["metadata"]) ? object["metadata"] : {},
    };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${error.message}`);
  }
}
