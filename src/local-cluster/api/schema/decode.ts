import { parseQuantity, printQuantity } from "../../../values/quantity.ts";
import { isArray, isObject, type JsonObject } from "../json.ts";
import { parseTime, TimeError } from "./go-time.ts";
import type { Field, FieldType, StructType } from "./schema.ts";

/** A value of the wrong type: the whole object cannot be read. */
export class DecodeError extends Error {}

/** An object as the API keeps and shows it, and what of the input it does not know. */
export interface Decoded {
  readonly object: Record<string, unknown>;
  /** Paths of fields that were dropped, e.g. `spec.containers[0].foo`. */
  readonly unknown: readonly string[];
}

/**
 * Reads an object by its type: drops what the type does not know, writes numbers and quantities in their one form, and leaves
 * empty fields in or out as the type says. What comes out is new throughout and may be changed.
 *
 * @throws DecodeError for a value of the wrong type
 */
export function decode(type: StructType, value: unknown): Decoded {
  const unknown: string[] = [];
  const object = decodeStruct(type, value, { path: "", holder: shortName(type), unknown });
  return { object, unknown };
}

interface Place {
  readonly path: string;
  /** The path for messages about types, where it is another: they name no keys of maps. */
  readonly told?: string;
  /** Name of the type that has the field, for messages. */
  readonly holder: string;
  readonly unknown: string[];
}

function decodeStruct(type: StructType, value: unknown, place: Place): Record<string, unknown> {
  if (value !== undefined && value !== null && !isObject(value)) mismatch(value, type, place);
  const input: JsonObject = isObject(value) ? value : {};
  const result: Record<string, unknown> = {};
  if (place.path === "") {
    result["apiVersion"] = input["apiVersion"];
    result["kind"] = input["kind"];
  }
  for (const field of type.fields.values()) {
    const decoded = decodeField(field, input[field.name], { ...place, holder: shortName(type) });
    if (decoded !== undefined) result[field.name] = decoded;
  }
  for (const name in input) {
    if (type.fields.has(name) || (place.path === "" && (name === "apiVersion" || name === "kind"))) continue;
    place.unknown.push(join(place.path, name));
  }
  return result;
}

function decodeField(field: Field, value: unknown, outer: Place): unknown {
  const path = join(outer.path, field.name);
  const place =
    outer.told === undefined ? { ...outer, path } : { ...outer, path, told: join(outer.told, field.name) };
  const { type } = field;
  if (value === undefined || value === null) return field.pointer ? absent(field) : emptyValue(field, place);
  const decoded = decodeValue(type, value, place);
  if (field.pointer) return decoded;
  return isEmpty(type, decoded, field) ? emptyValue(field, place) : decoded;
}

/** What stands for a pointer, list or map that holds nothing. */
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
    case "intOrString":
      return false;
    default:
      return value === "" || value === 0 || value === false;
  }
}

function emptyValue(field: Field, place: Place): unknown {
  const { type, omitZero } = field;
  switch (type.kind) {
    case "struct":
      return omitZero ? undefined : decodeStruct(type, {}, place);
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

function decodeValue(type: FieldType, value: unknown, place: Place): unknown {
  switch (type.kind) {
    case "struct":
      return decodeStruct(type, value, place);
    case "list":
      if (!isArray(value)) return mismatch(value, type, place);
      return value.map((item, index) =>
        decodeItem(type.item, item, { ...place, path: `${place.path}[${index}]` }),
      );
    case "map": {
      if (!isObject(value)) return mismatch(value, type, place);
      const result: Record<string, unknown> = {};
      for (const key of Object.keys(value).sort()) {
        const told = place.told ?? place.path;
        const read = decodeItem(type.value, value[key], { ...place, path: join(place.path, key), told });
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
      return typeof value === "string" ? value : mismatch(value, type, place);
    case "boolean":
      return typeof value === "boolean" ? value : mismatch(value, type, place);
    case "int32":
    case "int64":
      return isInteger(value, type.kind) ? value : mismatch(value, type, place);
    case "bytes":
      return decodeBytes(value, type, place);
    case "quantity":
      return decodeQuantity(value);
    case "intOrString":
      return typeof value === "string" || isInteger(value, "int32") ? value : mismatch(value, type, place);
    case "time":
    case "microTime":
      return decodeTime(value, type, place);
    case "any":
      return value;
  }
}

/** An item that is null reads as the empty value of its type. */
function decodeItem(type: FieldType, value: unknown, place: Place): unknown {
  if (value !== null) return decodeValue(type, value, place);
  switch (type.kind) {
    case "struct":
      return decodeStruct(type, {}, place);
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

function decodeBytes(value: unknown, type: FieldType, place: Place): string {
  if (typeof value !== "string") return mismatch(value, type, place);
  const text = value.replace(/[\r\n]/g, "");
  const bad = /[^A-Za-z0-9+/=]|=(?=[^=])/.exec(text)?.index;
  if (bad !== undefined) throw new DecodeError(`illegal base64 data at input byte ${bad}`);
  if (text.length % 4 !== 0)
    throw new DecodeError(`illegal base64 data at input byte ${text.length - (text.length % 4)}`);
  return text;
}

/** Amounts of resources are counted in thousandths, rounded away from zero. */
function inThousandths(value: unknown): unknown {
  const quantity = typeof value === "string" ? parseQuantity(value) : undefined;
  if (quantity === undefined || quantity.nano % nanoPerThousandth === 0n) return value;
  const { nano, format } = quantity;
  const away = nano < 0n ? -nanoPerThousandth : nanoPerThousandth;
  return printQuantity({ nano: nano - (nano % nanoPerThousandth) + away, format });
}

const nanoPerThousandth = 1_000_000n;

const quantityShape =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function decodeQuantity(value: unknown): string {
  const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  const quantity = parseQuantity(text);
  if (quantity !== undefined) return printQuantity(quantity);
  const hasShape = /^[+-]?[\d.]+[eEinumkKMGTP]+[-+]?\d*$/.test(text);
  throw new DecodeError(hasShape ? "unable to parse quantity's suffix" : quantityShape);
}

function decodeTime(value: unknown, type: FieldType, place: Place): string {
  if (typeof value !== "string") return mismatch(value, type, place);
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

function mismatch(value: unknown, type: FieldType, place: Place): never {
  const found = isArray(value)
    ? "array"
    : isObject(value)
      ? "object"
      : typeof value === "boolean"
        ? "bool"
        : typeof value;
  const shown =
    typeof value === "number" && goNames[type.kind]?.startsWith("int") ? `number ${value}` : found;
  const path = (place.told ?? place.path).replace(/\[\d+\]/g, "");
  const target = path === "" ? "Go value" : `Go struct field ${place.holder}.${path}`;
  throw new DecodeError(`json: cannot unmarshal ${shown} into ${target} of type ${goName(type)}`);
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
