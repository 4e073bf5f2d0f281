import { isObject, type JsonObject } from "../json.ts";
import type { Kind } from "../kinds/kind.ts";
import { apiVersionOf } from "../kinds/kind.ts";
import { badRequest, tooLarge, unsupportedMediaType } from "../status.ts";
import { duplicateFields } from "./duplicate-fields.ts";
import { decodeProtobuf } from "./protobuf.ts";
import { parseYaml } from "./yaml.ts";

/** Maximum size of a request's body. */
export const bodyLimitBytes = 3 * 1024 * 1024;

/** A parsed body whose kind is not checked yet. */
export interface Body {
  readonly object: JsonObject;
  /** Paths of duplicate fields in JSON. */
  readonly duplicates: readonly string[];
  /** Warnings about duplicate keys in YAML. */
  readonly repeated?: readonly string[];
}

export interface RawBody {
  readonly bytes: Uint8Array;
  /** The Content-Type header. */
  readonly type: string | undefined;
}

/** Converts a body to bytes. @throws StatusError 413 */
export function rawBody(content: string | Uint8Array | undefined, type: string | undefined): RawBody {
  const bytes = typeof content === "string" ? Buffer.from(content) : (content ?? new Uint8Array());
  if (bytes.length > bodyLimitBytes) throw tooLarge(bodyLimitBytes);
  return { bytes, type };
}

/** Returns the media type without its parameters; `undefined` if there is none. */
export function mediaType({ type }: Pick<RawBody, "type">): string | undefined {
  const name = type?.split(";")[0]?.trim().toLowerCase();
  return name === "" ? undefined : name;
}

/**
 * Parses a body that contains an object.
 *
 * @throws StatusError 400 for invalid content, 415 for an unsupported media type
 */
export function parseBody(raw: RawBody, kind: Pick<Kind, "kind">): Body {
  switch (mediaType(raw)) {
    case undefined:
    case "application/json":
      return parseJsonBody(raw, kind);
    case "application/yaml": {
      const { value, fault, repeated } = parseYaml(textOf(raw));
      if (isObject(value)) return { object: value, duplicates: [], repeated };
      throw unrecognized(kind, `yaml: ${fault ?? "not an object"}`, raw);
    }
    case "application/vnd.kubernetes.protobuf": {
      const object = decodeProtobuf(raw.bytes);
      if (typeof object !== "string") return { object, duplicates: [] };
      throw unrecognized(kind, object, raw);
    }
    default:
      throw unsupportedMediaType();
  }
}

function parseJsonBody(raw: RawBody, kind: Pick<Kind, "kind">): Body {
  const text = textOf(raw);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const fault = text.trim() === "" ? "unexpected end of JSON input" : jsonFault(error);
    throw unrecognized(kind, `couldn't get version/kind; json parse error: ${fault}`, raw);
  }
  if (value === null) return { object: {}, duplicates: [] };
  if (isObject(value)) return { object: value, duplicates: duplicateFields(text) };
  const found = Array.isArray(value) ? "array" : typeof value;
  throw unrecognized(kind, `couldn't get version/kind; json parse error: json: cannot unmarshal ${found}`, raw);
}

/** Returns the parser's message, or Go's for truncated text. */
export function jsonFault(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /end of JSON|Unterminated/.test(text) ? "unexpected end of JSON input" : text;
}

export function textOf({ bytes }: RawBody): string {
  return Buffer.from(bytes).toString("utf8");
}

function unrecognized({ kind }: Pick<Kind, "kind">, fault: string, raw: RawBody) {
  const text = textOf(raw);
  const shown =
    text === "" ? "<empty>" : /^[{}[\]":,\w\s.-]{1,100}$/.test(text) && text.startsWith("{") ? text : hex(raw);
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${fault} (${shown})`);
}

function hex({ bytes }: RawBody): string {
  const start = Buffer.from(bytes.subarray(0, 30)).toString("hex");
  return bytes.length > 30 ? `${start} ...` : start;
}

/**
 * Checks that an object has the kind of the path; missing fields are taken from the path.
 *
 * @throws StatusError 400
 */
export function checkKind(object: JsonObject, kind: Kind, isServed: IsServed): JsonObject {
  const { name, version, fault, checked } = ofKind(object, kind, isServed);
  if (fault === undefined) return checked;
  throw badRequest(`${name} in version "${version}" cannot be handled as a ${kind.kind}: ${fault}`);
}

/** Whether the API serves a kind. */
type IsServed = (apiVersion: string, kind: string) => boolean;

/** Completes the kind of an object; `fault` says why the specified kind does not match. */
export function ofKind(object: JsonObject, kind: Kind, isServed: IsServed) {
  const apiVersion = textField(object, "apiVersion") || apiVersionOf(kind);
  const name = textField(object, "kind") || kind.kind;
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  const isSameKind = apiVersion === apiVersionOf(kind) && name === kind.kind;
  const fault = isSameKind
    ? undefined
    : isServed(apiVersion, name)
      ? `converting (${version}.${name}) to (${kind.group.split(".")[0] || "core"}.${kind.kind}): unknown conversion`
      : `no kind "${name}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
  return { name, version, fault, checked: { ...object, apiVersion, kind: name } };
}

function textField(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : "";
}
