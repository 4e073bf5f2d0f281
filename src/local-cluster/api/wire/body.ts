import { goTypeOf, isObject, type JsonObject } from "../json.ts";
import type { Kind } from "../kinds/kind.ts";
import { apiVersionOf } from "../kinds/kind.ts";
import { badRequest, invalid, tooLarge, unsupportedMediaType } from "../status.ts";
import { invalidValue } from "../validation/field-error.ts";
import { parseJson } from "./parse-json.ts";
import { decodeProtobuf } from "./protobuf.ts";
import { parseYaml } from "./yaml.ts";

/** Maximum size of a request's body. */
export const bodyLimitBytes = 3 * 1024 * 1024;

/** A parsed body whose kind is not checked yet. */
export interface Body {
  readonly object: JsonObject;
  /** JSON in which unknown and duplicate fields are reported. @default only unknown fields of `object` are */
  readonly text?: string;
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
  if (bytes.length > bodyLimitBytes) throw tooLarge(`limit is ${bodyLimitBytes}`);
  return { bytes, type };
}

/** Returns the media type without its parameters; `undefined` if there is none. */
export function mediaType({ type }: Pick<RawBody, "type">): string | undefined {
  const name = type?.split(";")[0]?.trim().toLowerCase();
  return name === "" ? undefined : name;
}

/** Kind of the object in a body. `undefined`: messages name no kind. */
type ExpectedKind = Pick<Kind, "kind"> | undefined;

/**
 * Parses a body that contains an object.
 *
 * @throws StatusError 400 for invalid content, 415 for an unsupported media type
 */
export function parseBody(raw: RawBody, kind: ExpectedKind): Body {
  switch (mediaType(raw)) {
    case undefined:
    case "application/json": {
      const text = textOf(raw);
      const parsed = parseJson(text);
      if ("fault" in parsed) throw unrecognized(kind, typeFault(parsed.fault), raw);
      return { object: typedObject(parsed.value, kind, raw), text };
    }
    case "application/yaml": {
      const { value, fault, repeated } = parseYaml(raw.bytes);
      if (fault !== undefined) throw unrecognized(kind, fault, raw);
      return { object: typedObject(value, kind, raw), repeated };
    }
    case "application/vnd.kubernetes.protobuf": {
      const decoded = decodeProtobuf(raw.bytes);
      if ("object" in decoded) return decoded;
      const { fault, kind: found, version } = decoded;
      if (found === undefined || kind === undefined) throw unrecognized(kind, fault, raw);
      throw badRequest(`${found} in version "${version}" cannot be handled as a ${kind.kind}: ${fault}`);
    }
    default:
      throw unsupportedMediaType();
  }
}

function typeFault(fault: string): string {
  return `couldn't get version/kind; json parse error: ${fault}`;
}

/** Go's notation of the type that Kubernetes decodes first. */
const typeMeta = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/** Returns an object whose kind can be read; null is an object without fields. @throws StatusError 400 */
function typedObject(value: unknown, kind: ExpectedKind, raw: RawBody): JsonObject {
  if (value === null) return {};
  if (!isObject(value)) {
    throw unrecognized(
      kind,
      typeFault(`json: cannot unmarshal ${goTypeOf(value)} into Go value of type ${typeMeta}`),
      raw,
    );
  }
  for (const field of ["kind", "apiVersion"]) {
    const content = value[field];
    if (content === undefined || content === null || typeof content === "string") continue;
    const fault = `json: cannot unmarshal ${goTypeOf(content)} into Go struct field .${field} of type string`;
    throw unrecognized(kind, typeFault(fault), raw);
  }
  return value;
}

export function textOf({ bytes }: RawBody): string {
  return Buffer.from(bytes).toString("utf8");
}

function unrecognized(kind: ExpectedKind, fault: string, raw: RawBody) {
  if (kind === undefined) return badRequest(fault);
  return badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): ${fault} (${summary(raw)})`);
}

const summaryBytes = 30;

/** Returns the start of a body: JSON as it is, all else in hexadecimal digits. */
function summary({ bytes }: RawBody): string {
  if (bytes.length === 0) return "<empty>";
  const start = Buffer.from(bytes.subarray(0, summaryBytes));
  const shown = start.toString(String.fromCharCode(start[0] ?? 0) === "{" ? "utf8" : "hex");
  return bytes.length > summaryBytes ? `${shown} ...` : shown;
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

/**
 * Checks that an object has the kind and version of the path of a custom resource, which it must specify.
 *
 * @throws StatusError 400, 422
 */
export function checkCustomKind(object: JsonObject, kind: Kind, raw: RawBody): JsonObject {
  const own = textField(object, "kind");
  if (own === "") throw unrecognized(kind, `Object 'Kind' is missing in '${textOf(raw)}'`, raw);
  const expected = apiVersionOf(kind);
  const apiVersion = textField(object, "apiVersion") || expected;
  if (apiVersion !== expected) {
    const text = `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`;
    throw badRequest(text);
  }
  if (own === kind.kind) return { ...object, apiVersion, kind: own };
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  throw invalid(kind, textField(metadata, "name"), [invalidValue("kind", own, `must be ${kind.kind}`)]);
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
