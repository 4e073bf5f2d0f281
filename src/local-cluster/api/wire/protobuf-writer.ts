import { isArray, isObject, type JsonObject } from "../json.ts";
import { type Field, type FieldType, findStructType, type StructType } from "../schema/schema.ts";

/**
 * Encodes an object in Kubernetes' protobuf format: four bytes `k8s\0`, then an envelope with its kind and the object.
 *
 * @returns `undefined` for an unknown kind
 */
export function encodeProtobuf(object: JsonObject): Uint8Array | undefined {
  const apiVersion = String(object["apiVersion"]);
  const kind = String(object["kind"]);
  // Schemas of custom resources can be read only. Clients that accept protobuf accept JSON, too.
  if (kind.startsWith("CustomResourceDefinition")) return undefined;
  const body = bodyOf(apiVersion, kind, object);
  if (body === undefined) return undefined;
  const typeMeta = [bytes(1, text(apiVersion)), bytes(2, text(kind))];
  const envelope = [bytes(1, Buffer.concat(typeMeta)), bytes(2, body), bytes(3, text("")), bytes(4, text(""))];
  return Buffer.concat([Buffer.from("k8s\0"), ...envelope]);
}

function bodyOf(apiVersion: string, kind: string, object: JsonObject): Uint8Array | undefined {
  const type = findStructType(apiVersion, kind);
  if (type !== undefined) return struct(type, object);
  const item = kind.endsWith("List") ? findStructType(apiVersion, kind.slice(0, -"List".length)) : undefined;
  const list = findStructType("v1", "ListMeta");
  if (item === undefined || list === undefined || !isArray(object["items"])) return undefined;
  return Buffer.concat([
    bytes(1, struct(list, object["metadata"])),
    ...object["items"].map((entry) => bytes(2, struct(item, entry))),
  ]);
}

function struct(type: StructType, value: unknown): Uint8Array {
  const object = isObject(value) ? value : {};
  const fields = [...type.fields.values()].filter(({ name }) => object[name] !== undefined && object[name] !== null);
  return fieldsAt(fields.map((field) => ({ path: field.numbers, field, value: object[field.name] })));
}

interface Entry {
  readonly path: readonly number[];
  readonly field: Field;
  readonly value: unknown;
}

/** Encodes fields; those of embedded structs form a nested message. */
function fieldsAt(entries: readonly Entry[]): Uint8Array {
  const parts = new Map<number, Uint8Array[]>();
  const inner = new Map<number, Entry[]>();
  for (const entry of entries) {
    const [number = 0, ...rest] = entry.path;
    if (rest.length === 0) parts.set(number, write(number, entry.field.type, entry.value));
    else inner.set(number, [...(inner.get(number) ?? []), { ...entry, path: rest }]);
  }
  for (const [number, embedded] of inner) parts.set(number, [bytes(number, fieldsAt(embedded))]);
  return Buffer.concat([...parts].sort(([a], [b]) => a - b).flatMap(([, written]) => written));
}

function write(number: number, type: FieldType, value: unknown): Uint8Array[] {
  if (type.kind === "list") return isArray(value) ? value.flatMap((item) => write(number, type.item, item)) : [];
  if (type.kind === "map") {
    const entries = isObject(value) ? Object.entries(value) : [];
    return entries.map(([key, item]) => {
      // A list that is the value of a map is a nested message.
      const content =
        type.value.kind === "list" ? [bytes(2, Buffer.concat(write(1, type.value, item)))] : write(2, type.value, item);
      return bytes(number, Buffer.concat([bytes(1, text(key)), ...content]));
    });
  }
  return [scalar(number, type, value)];
}

function scalar(number: number, type: FieldType, value: unknown): Uint8Array {
  switch (type.kind) {
    case "struct":
      return bytes(number, struct(type, value));
    case "boolean":
      return varint(number, value === true ? 1n : 0n);
    case "int32":
    case "int64":
      return varint(number, BigInt(typeof value === "number" ? value : 0));
    case "bytes":
      return bytes(number, Buffer.from(String(value), "base64"));
    case "quantity":
      return bytes(number, bytes(1, text(String(value))));
    case "intOrString":
      return bytes(
        number,
        typeof value === "number"
          ? Buffer.concat([varint(1, 0n), varint(2, BigInt(value))])
          : Buffer.concat([varint(1, 1n), bytes(3, text(String(value)))]),
      );
    case "time":
    case "microTime":
      return bytes(number, time(String(value)));
    case "any":
      return bytes(number, bytes(1, text(JSON.stringify(value))));
    default:
      return bytes(number, text(String(value)));
  }
}

function time(value: string): Uint8Array {
  const micros = Number(/\.(\d{6})/.exec(value)?.[1] ?? 0);
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) return new Uint8Array();
  const seconds = BigInt(Math.floor(ms / 1000));
  return Buffer.concat([varint(1, seconds), varint(2, BigInt(micros * 1000))]);
}

function text(value: string): Uint8Array {
  return Buffer.from(value);
}

function bytes(number: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([base128(BigInt(number * 8 + 2)), base128(BigInt(content.length)), content]);
}

function varint(number: number, value: bigint): Uint8Array {
  return Buffer.concat([base128(BigInt(number * 8)), base128(BigInt.asUintN(64, value))]);
}

function base128(value: bigint): Uint8Array {
  const result: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...result, Number(rest)]);
    result.push(Number(rest & 127n) | 0x80);
  }
}
