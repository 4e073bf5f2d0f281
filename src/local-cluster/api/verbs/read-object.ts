import { isArray, isObject, isSame, type JsonObject } from "../json.ts";
import type { Kind } from "../kinds/kind.ts";
import { findKind } from "../kinds/table.ts";
import { type Draft, isDraft } from "../object.ts";
import { DecodeError, decode } from "../schema/decode.ts";
import { findStructType } from "../schema/schema.ts";
import { badRequest } from "../status.ts";
import { goQuoted } from "../validation/field-error.ts";
import { type Body, checkKind, ofKind, parseBody } from "../wire/body.ts";
import type { Call } from "./call.ts";
import type { WriteOptions } from "./write-options.ts";

/**
 * The object in a request's body, with its kind's defaults; unknown and repeated fields are refused, told of, or ignored, as the
 * request wants it.
 *
 * @throws StatusError 400, 415
 */
export function readObject(call: Call, options: WriteOptions): Draft {
  const body = parseBody(call.raw, call.kind);
  return decodeObject(call, { ...body, object: checkKind(body.object, call.kind, isServed) }, options);
}

/** What a patch made cannot be read. */
export class PatchedObjectError extends Error {}

function isServed(apiVersion: string, kind: string): boolean {
  return /^(.*\/)?v1$/.test(apiVersion) && findStructType(apiVersion, kind) !== undefined;
}

/**
 * Reads what a patch made; its faults are the patch's. `oddities`: of the patch itself, in the words of a warning.
 *
 * @throws PatchedObjectError
 */
export function decodePatchedObject(
  call: Pick<Call, "kind" | "warnings">,
  document: JsonObject,
  options: Pick<WriteOptions, "fieldValidation"> & { readonly oddities: readonly string[] },
): Draft {
  const { checked, fault } = ofKind(document, call.kind, isServed);
  if (fault !== undefined) throw new PatchedObjectError(fault);
  return decodeObject(call, { object: checked, duplicates: [] }, options);
}

/** Paths in the order in which an object names its fields. */
function inOrderOf(object: JsonObject, paths: readonly string[]): readonly string[] {
  if (paths.length < 2) return paths;
  const ranks = new Map<string, number>();
  const walk = (value: unknown, path: string): void => {
    ranks.set(path, ranks.size);
    if (isArray(value)) for (const [index, item] of value.entries()) walk(item, `${path}[${index}]`);
    else if (isObject(value))
      for (const name in value) walk(value[name], path === "" ? name : `${path}.${name}`);
  };
  walk(object, "");
  return [...paths].sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
}

/** Reads an object of the call's kind from JSON. `oddities`: it is what a patch made. */
export function decodeObject(
  call: Pick<Call, "kind" | "warnings">,
  { object, duplicates, repeated = [] }: Body,
  {
    fieldValidation,
    oddities,
  }: Pick<WriteOptions, "fieldValidation"> & { readonly oddities?: readonly string[] },
): Draft {
  const { kind } = call;
  const isPatched = oddities !== undefined;
  const refuse = (fault: string) => (isPatched ? new PatchedObjectError(fault) : unreadable(kind, fault));
  const decoded = tryDecode(kind, object, refuse);
  if (fieldValidation !== "Ignore") {
    const unknown = isPatched ? [...decoded.unknown].sort() : inOrderOf(object, decoded.unknown);
    const strange = [
      ...(oddities ?? []),
      ...repeated,
      ...duplicates.map((field) => `duplicate field ${goQuoted(field)}`),
      ...unknown.map((field) => `unknown field ${goQuoted(field)}`),
    ];
    if (strange.length > 0 && fieldValidation === "Strict") {
      throw refuse(`strict decoding error: ${strange.join(", ")}`);
    }
    call.warnings.push(...strange);
  }
  const stored =
    kind.conversion === undefined ? decoded.object : { ...kind.conversion.toStored(decoded.object) };
  if (!isDraft(stored)) throw refuse("no metadata");
  call.warnings.push(...ownersOnce(stored.metadata));
  kind.rules.fill?.(stored);
  return stored;
}

/** Takes out owners that are named again; the warning says which. */
function ownersOnce(metadata: Draft["metadata"]): string[] {
  const { ownerReferences: owners = [] } = metadata;
  const again = owners.filter((owner, index) => owners.findIndex(({ uid }) => uid === owner.uid) < index);
  const repeated = again.filter((owner) => owners.some((other) => other !== owner && isSame(other, owner)));
  if (repeated.length === 0) return [];
  metadata.ownerReferences = owners.filter(
    (owner, index) => owners.findIndex((other) => isSame(other, owner)) === index,
  );
  const uids = [...new Set(repeated.map(({ uid }) => uid))].join(", ");
  return [
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject " +
      `such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  ];
}

function tryDecode(kind: Kind, object: JsonObject, refuse: (fault: string) => Error) {
  try {
    return decode(kind.type, object);
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(error.message);
    throw error;
  }
}

function unreadable(kind: Kind, fault: string) {
  return badRequest(
    `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${fault}`,
  );
}

type ActionKind = Pick<Kind, "group" | "version" | "kind" | "plural">;

/** @throws StatusError 400 for an object of another kind */
function checkConversion({ kind: sent, apiVersion }: JsonObject, kind: ActionKind): void {
  if (typeof sent !== "string" || sent === "" || sent === kind.kind) return;
  const version = typeof apiVersion === "string" ? apiVersion.slice(apiVersion.indexOf("/") + 1) : "v1";
  const wanted = `${kind.group.split(".")[0] || "core"}.${kind.kind}`;
  throw badRequest(
    `${sent} in version "${version}" cannot be handled as a ${kind.kind}: converting (${version}.${sent}) to (${wanted}): unknown conversion`,
  );
}

/** @throws StatusError 400 for an object of another namespace */
function checkPlace({ namespace }: Call, { metadata }: JsonObject): void {
  const own = isObject(metadata) ? metadata["namespace"] : undefined;
  if (namespace === undefined || typeof own !== "string" || own === "" || own === namespace) return;
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** Reads an object of a kind that is not kept: a review, a request for a token, a binding. */
export function readAction(call: Call, kind: ActionKind): JsonObject {
  const body = parseBody(call.raw, kind);
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  const known = findKind(kind.group, kind.version, kind.plural);
  const type = known?.type ?? findStructType(apiVersion, kind.kind);
  if (type === undefined) throw badRequest(`no kind "${kind.kind}" is registered`);
  checkConversion(body.object, kind);
  checkPlace(call, body.object);
  try {
    const { object, unknown } = decode(type, body.object);
    call.warnings.push(...unknown.map((field) => `unknown field ${goQuoted(field)}`));
    return {
      ...object,
      apiVersion,
      kind: kind.kind,
      metadata: isObject(object["metadata"]) ? object["metadata"] : {},
    };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(
      `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${error.message}`,
    );
  }
}
