import type { JsonObject } from "../json.ts";
import { type Field, type FieldType, findStructType, type StructType } from "../schema/schema.ts";

const prefix = [0x6b, 0x38, 0x73, 0x00];

/**
 * Decodes an object in Kubernetes' protobuf format: four bytes `k8s\0`, then an envelope with its kind and the object.
 *
 * @returns the object as JSON, or an error message
 */
export function decodeProtobuf(bytes: Uint8Array): JsonObject | string {
  if (prefix.some((byte, index) => bytes[index] !== byte)) {
    return "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]";
  }
  try {
    const envelope = readMessage(bytes.subarray(prefix.length));
    const typeMeta = readMessage(last(envelope, 1));
    const apiVersion = text(last(typeMeta, 1));
    const kind = text(last(typeMeta, 2));
    const type = findStructType(apiVersion, kind);
    if (type === undefined) return `no kind "${kind}" is registered for version "${apiVersion}"`;
    return { apiVersion, kind, ...readStruct(type, last(envelope, 2)) };
  } catch (error) {
    if (error instanceof RangeError) return "unexpected EOF";
    throw error;
  }
}

type Value = bigint | Uint8Array;
type Message = readonly { readonly number: number; readonly value: Value }[];

/** Decodes a message's fields in order: varints and fixed-size numbers as bigint, all others as bytes. */
function readMessage(bytes: Uint8Array): Message {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields: { number: number; value: Value }[] = [];
  let at = 0;

  function varint(): bigint {
    let result = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(view.getUint8(at));
      at += 1;
      result |= (byte & 127n) << shift;
      if (byte < 128n) return result;
    }
  }

  function next(size: number): Uint8Array {
    if (at + size > bytes.length) throw new RangeError("truncated");
    at += size;
    return bytes.subarray(at - size, at);
  }

  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    switch (tag & 7) {
      case 0:
        fields.push({ number, value: varint() });
        break;
      case 1:
        fields.push({ number, value: view.getBigUint64(at, true) });
        at += 8;
        break;
      case 2:
        fields.push({ number, value: next(Number(varint())) });
        break;
      case 5:
        fields.push({ number, value: BigInt(view.getUint32(at, true)) });
        at += 4;
        break;
      default:
        throw new RangeError("wire type");
    }
  }
  return fields;
}

function last(message: Message, number: number): Uint8Array {
  const value = message.findLast((field) => field.number === number)?.value;
  return value instanceof Uint8Array ? value : new Uint8Array();
}

function text(value: Value | undefined): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : "";
}

function readStruct(type: StructType, bytes: Uint8Array): JsonObject {
  const message = readMessage(bytes);
  const result: Record<string, unknown> = {};
  for (const field of type.fields.values()) {
    const values = valuesAt(message, field.numbers);
    if (values.length > 0) result[field.name] = readField(field, values);
  }
  return result;
}

function valuesAt(message: Message, [number, ...rest]: readonly number[]): Value[] {
  const found = message.filter((field) => field.number === number).map(({ value }) => value);
  if (rest.length === 0) return found;
  return found.flatMap((value) => (value instanceof Uint8Array ? valuesAt(readMessage(value), rest) : []));
}

function readField({ type }: Field, values: readonly Value[]): unknown {
  if (type.kind === "list") return values.map((value) => readValue(type.item, value));
  if (type.kind !== "map") return readValue(type, values.at(-1));
  return Object.fromEntries(
    values.map((value) => {
      const entry = value instanceof Uint8Array ? readMessage(value) : [];
      const content = entry.findLast(({ number }) => number === 2)?.value;
      return [text(last(entry, 1)), readValue(type.value, content)];
    }),
  );
}

function readValue(type: FieldType, value: Value | undefined): unknown {
  const bytes = value instanceof Uint8Array ? value : new Uint8Array();
  switch (type.kind) {
    case "struct":
      return readStruct(type, bytes);
    // A list that is the value of a map is a nested message.
    case "list":
      return valuesAt(readMessage(bytes), [1]).map((item) => readValue(type.item, item));
    case "map":
      return {};
    case "string":
      return text(value);
    case "bytes":
      return Buffer.from(bytes).toString("base64");
    case "boolean":
      return value === 1n;
    case "int32":
    case "int64":
      return typeof value === "bigint" ? Number(BigInt.asIntN(64, value)) : 0;
    case "quantity":
      return text(last(readMessage(bytes), 1)) || "0";
    case "intOrString":
      return readIntOrString(readMessage(bytes));
    case "time":
    case "microTime":
      return readTime(readMessage(bytes), type.kind);
    case "duration":
      return `${numberAt(readMessage(bytes), 1) / 1e9}s`;
    case "any":
      return readRaw(bytes);
  }
}

function numberAt(message: Message, number: number): number {
  const value = message.findLast((field) => field.number === number)?.value;
  return typeof value === "bigint" ? Number(BigInt.asIntN(64, value)) : 0;
}

function readIntOrString(message: Message): number | string {
  return numberAt(message, 1) === 0 ? numberAt(message, 2) : text(last(message, 3));
}

function readTime(message: Message, kind: "time" | "microTime"): string | null {
  const seconds = numberAt(message, 1);
  if (seconds === 0) return null;
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (kind === "time") return `${text}Z`;
  return `${text}.${String(Math.floor(numberAt(message, 2) / 1000)).padStart(6, "0")}Z`;
}

/** Decodes an object that is embedded as JSON. */
function readRaw(bytes: Uint8Array): unknown {
  const raw = text(last(readMessage(bytes), 1));
  try {
    return JSON.parse(raw);
  } catch {
    return null;
  }
}
