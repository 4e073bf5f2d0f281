import { isObject, type JsonObject } from "../json.ts";
import type { Kind } from "../kinds/kind.ts";
import { findKind } from "../kinds/table.ts";
import { type Draft, isDraft } from "../object.ts";
import { DecodeError, decode } from "../schema/decode.ts";
import { findStructType } from "../schema/schema.ts";
import { badRequest } from "../status.ts";
import { goQuoted } from "../validation/field-error.ts";
import { type Body, checkKind, parseBody } from "../wire/body.ts";
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

/** Reads an object of the call's kind from JSON. `isPatched`: it is what a patch made, and its faults are the patch's. */
export function decodeObject(
  call: Pick<Call, "kind" | "warnings">,
  { object, duplicates }: Body,
  { fieldValidation, isPatched = false }: Pick<WriteOptions, "fieldValidation"> & { isPatched?: boolean },
): Draft {
  const { kind } = call;
  const refuse = (fault: string) => (isPatched ? new PatchedObjectError(fault) : unreadable(kind, fault));
  const decoded = tryDecode(kind, object, refuse);
  if (fieldValidation !== "Ignore") {
    const strange = [
      ...duplicates.map((field) => `duplicate field ${goQuoted(field)}`),
      ...decoded.unknown.map((field) => `unknown field ${goQuoted(field)}`),
    ].sort();
    if (strange.length > 0 && fieldValidation === "Strict") {
      throw refuse(`strict decoding error: ${strange.join(", ")}`);
    }
    call.warnings.push(...strange);
  }
  const stored =
    kind.conversion === undefined ? decoded.object : { ...kind.conversion.toStored(decoded.object) };
  if (!isDraft(stored)) throw refuse("no metadata");
  kind.rules.fill?.(stored);
  return stored;
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

/** Reads an object of a kind that is not kept: a review, a request for a token, a binding. */
export function readAction(
  call: Call,
  kind: Pick<Kind, "group" | "version" | "kind" | "plural">,
): JsonObject {
  const body = parseBody(call.raw, kind);
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  const known = findKind(kind.group, kind.version, kind.plural);
  const type = known?.type ?? findStructType(apiVersion, kind.kind);
  if (type === undefined) throw badRequest(`no kind "${kind.kind}" is registered`);
  const sent = body.object["kind"];
  if (typeof sent === "string" && sent !== "" && sent !== kind.kind) {
    throw badRequest(
      `${sent} in version "${kind.version}" cannot be handled as a ${kind.kind}: unknown conversion`,
    );
  }
  try {
    const { object } = decode(type, body.object);
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
