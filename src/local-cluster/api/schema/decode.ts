import { parseQuantity, printQuantity } from "../../../values/quantity.ts";
import { exceedsDepth, goTypeOf, isArray, isObject, type JsonObject } from "../json.ts";
import { parseTime, TimeError } from "./go-time.ts";
import type { Field, FieldType, StructType } from "./schema.ts";

/** A value of the wrong type. Its message is that of Go's JSON decoder. */
export class DecodeError extends Error {}

/** A decoded object and its unknown fields. */
export interface Decoded {
  readonly object: Record<string, unknown>;
  /** Paths of fields that were dropped, e.g. `spec.containers[0].foo`. */
  readonly unknown: readonly string[];
}

/**
 * Decodes an object by its type: removes unknown fields, normalizes numbers and quantities, and writes or omits empty fields as
 * the type requires. The result shares no values with the input and may be changed.
 *
 * @throws DecodeError
 */
export function decode(type: StructType, value: unknown): Decoded {
  const unknown: string[] = [];
  const object = decodeStruct(type, value, { path: "", holder: shortName(type), unknown });
  return { object, unknown };
}

interface Position {
  readonly path: string;
  /** The path in type errors, which omits keys of maps. @default `path` */
  readonly messagePath?: string;
  /** Name of the type that has the field, for messages. */
  readonly holder: string;
  readonly unknown: string[];
}

function decodeStruct(type: StructType, value: unknown, position: Position): Record<string, unknown> {
  if (value !== undefined && value !== null && !isObject(value)) mismatch(value, type, position);
  const input: JsonObject = isObject(value) ? value : {};
  const result: Record<string, unknown> = {};
  if (position.path === "") {
    result["apiVersion"] = input["apiVersion"];
    result["kind"] = input["kind"];
  }
  for (const field of type.fields.values()) {
    const decoded = decodeField(field, input[field.name], { ...position, holder: shortName(type) });
    if (decoded !== undefined) result[field.name] = decoded;
  }
  for (const name in input) {
    if (type.fields.has(name) || (position.path === "" && (name === "apiVersion" || name === "kind"))) continue;
    position.unknown.push(join(position.path, name));
  }
  return result;
}

function decodeField(field: Field, value: unknown, outer: Position): unknown {
  const path = join(outer.path, field.name);
  const position =
    outer.messagePath === undefined
      ? { ...outer, path }
      : { ...outer, path, messagePath: join(outer.messagePath, field.name) };
  const { type } = field;
  if (value === undefined || value === null) return field.pointer ? absent(field) : emptyValue(field, position);
  const decoded = decodeValue(type, value, position);
  if (field.pointer) return decoded;
  return isEmpty(type, decoded, field) ? emptyValue(field, position) : decoded;
}

/** Returns the value of an empty pointer, list or map. */
function absent(field: Field): null | undefined {
  return field.always ? null : undefined;
}

function isEmpty(type: FieldType, value: unknown, field: Field): boolean {
  switch (type.kind) {
    case "list":
    case "bytes":
      return isArray(value) ? value.length === 0 : value === "";
    case "map":
      return isObject(value) && Object.keys(value).length === 0;
    case "struct":
      return field.omitZero && isObject(value) && Object.keys(value).length === 0;
    case "any":
    case "jsonSchema":
    case "intOrString":
      return false;
    default:
      return value === "" || value === 0 || value === false;
  }
}

function emptyValue(field: Field, position: Position): unknown {
  const { type, omitZero } = field;
  switch (type.kind) {
    case "struct":
      return omitZero ? undefined : decodeStruct(type, {}, position);
    case "time":
    case "microTime":
      return omitZero ? undefined : null;
    case "quantity":
      return omitZero ? undefined : "0";
    case "intOrString":
      return omitZero ? undefined : 0;
    case "string":
      return field.always ? "" : undefined;
    case "int32":
    case "int64":
      return field.always ? 0 : undefined;
    case "boolean":
      return field.always ? false : undefined;
    case "duration":
      return "0s";
    default:
      return absent(field);
  }
}

function decodeValue(type: FieldType, value: unknown, position: Position): unknown {
  switch (type.kind) {
    case "struct":
      return decodeStruct(type, value, position);
    case "list":
      if (!isArray(value)) return mismatch(value, type, position);
      return value.map((item, index) =>
        decodeItem(type.item, item, { ...position, path: `${position.path}[${index}]` }),
      );
    case "map": {
      if (!isObject(value)) return mismatch(value, type, position);
      const result: Record<string, unknown> = {};
      for (const key of Object.keys(value).sort()) {
        const messagePath = position.messagePath ?? position.path;
        const read = decodeItem(type.value, value[key], {
          ...position,
          path: join(position.path, key),
          messagePath,
        });
        const item = type.value.kind === "quantity" ? inThousandths(read) : read;
        Object.defineProperty(result, key, {
          value: item,
          enumerable: true,
          writable: true,
          configurable: true,
        });
      }
      return result;
    }
    case "string":
    case "duration":
      return typeof value === "string" ? value : mismatch(value, type, position);
    case "boolean":
      return typeof value === "boolean" ? value : mismatch(value, type, position);
    case "int32":
    case "int64":
      return isInteger(value, type.kind) ? value : mismatch(value, type, position);
    case "bytes":
      return decodeBytes(value, type, position);
    case "quantity":
      return decodeQuantity(value);
    case "intOrString":
      return typeof value === "string" || isInteger(value, "int32") ? value : mismatch(value, type, position);
    case "time":
    case "microTime":
      return decodeTime(value, type, position);
    case "any":
    case "jsonSchema":
      // Kubernetes stores 10,000 levels.
      if (!exceedsDepth(value, maxRawLevels)) return value;
      throw new DecodeError(`${position.path} exceeds the maximum depth of ${maxRawLevels}`);
  }
}

/** Maximum nesting of a value without a type: some functions that process stored objects call themselves. */
const maxRawLevels = 500;

/** Decodes an item; null is the empty value of its type. */
function decodeItem(type: FieldType, value: unknown, position: Position): unknown {
  if (value !== null) return decodeValue(type, value, position);
  switch (type.kind) {
    case "struct":
      return decodeStruct(type, {}, position);
    case "string":
    case "bytes":
      return "";
    case "quantity":
      return "0";
    case "int32":
    case "int64":
    case "intOrString":
      return 0;
    case "boolean":
      return false;
    default:
      return null;
  }
}

function isInteger(value: unknown, kind: "int32" | "int64"): boolean {
  if (typeof value !== "number" || !Number.isInteger(value)) return false;
  const limit = kind === "int64" ? 2 ** 63 : 2 ** 31;
  return value >= -limit && value < limit;
}

function decodeBytes(value: unknown, type: FieldType, position: Position): string {
  if (typeof value !== "string") return mismatch(value, type, position);
  const text = value.replace(/[\r\n]/g, "");
  const bad = /[^A-Za-z0-9+/=]|=(?=[^=])/.exec(text)?.index;
  if (bad !== undefined) throw new DecodeError(`illegal base64 data at input byte ${bad}`);
  if (text.length % 4 !== 0)
    throw new DecodeError(`illegal base64 data at input byte ${text.length - (text.length % 4)}`);
  return text;
}

/** Rounds an amount up to thousandths, away from zero. */
function inThousandths(value: unknown): unknown {
  const quantity = typeof value === "string" ? parseQuantity(value) : undefined;
  if (quantity === undefined || quantity.nano % nanoPerThousandth === 0n) return value;
  const { nano, format } = quantity;
  const away = nano < 0n ? -nanoPerThousandth : nanoPerThousandth;
  return printQuantity({ nano: nano - (nano % nanoPerThousandth) + away, format });
}

const nanoPerThousandth = 1_000_000n;

const quantityShape = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function decodeQuantity(value: unknown): string {
  const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  const quantity = parseQuantity(text);
  if (quantity !== undefined) return printQuantity(quantity);
  const hasShape = /^[+-]?[\d.]+[eEinumkKMGTP]+[-+]?\d*$/.test(text);
  throw new DecodeError(hasShape ? "unable to parse quantity's suffix" : quantityShape);
}

function decodeTime(value: unknown, type: FieldType, position: Position): string {
  if (typeof value !== "string") return mismatch(value, type, position);
  try {
    return parseTime(value, { isMicro: type.kind === "microTime" });
  } catch (error) {
    if (error instanceof TimeError) throw new DecodeError(error.message);
    throw error;
  }
}

const goNames: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "bool",
  int32: "int32",
  int64: "int64",
  bytes: "[]uint8",
  any: "interface {}",
  intOrString: "int32",
};

function goName(type: FieldType): string {
  switch (type.kind) {
    case "list":
      return `[]${goName(type.item)}`;
    case "map":
      return `map[string]${goName(type.value)}`;
    case "struct":
      return `v1.${shortName(type)}`;
    default:
      return goNames[type.kind] ?? type.kind;
  }
}

function shortName(type: StructType): string {
  return type.name.slice(type.name.indexOf(".") + 1);
}

function mismatch(value: unknown, type: FieldType, position: Position): never {
  const found = goTypeOf(value);
  const shown = typeof value === "number" && goNames[type.kind]?.startsWith("int") ? `number ${value}` : found;
  const path = (position.messagePath ?? position.path).replace(/\[\d+\]/g, "");
  const target = path === "" ? "Go value" : `Go struct field ${position.holder}.${path}`;
  throw new DecodeError(`json: cannot unmarshal ${shown} into ${target} of type ${goName(type)}`);
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
