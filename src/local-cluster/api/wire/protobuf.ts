import type { JsonObject } from "../json.ts";
import { type Field, type FieldType, findStructType, type StructType } from "../schema/schema.ts";
import { readJsonSchema } from "./protobuf-json-schema.ts";
import { type Message, ProtobufError, readMessage } from "./protobuf-message.ts";
import { bytesOf, integerOf, lastValue, readJson, textOf, type Value } from "./protobuf-values.ts";

const prefix = [0x6b, 0x38, 0x73, 0x00];

/** A decoded object, or an error message: about the envelope, or about the object in it, whose kind is known. */
type DecodedProtobuf =
  | { readonly object: JsonObject }
  | { readonly fault: string; readonly kind?: string; readonly version?: string };

/**
 * Decodes an object in Kubernetes' protobuf format: four bytes `k8s\0`, then an envelope with its kind and the object.
 *
 * Source: Kubernetes 1.35, runtime/serializer/protobuf, and gogo/protobuf for errors and limits.
 */
export function decodeProtobuf(bytes: Uint8Array): DecodedProtobuf {
  if (prefix.some((byte, index) => bytes[index] !== byte)) {
    return { fault: "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]" };
  }
  let known: { readonly kind: string; readonly version: string } | undefined;
  try {
    const envelope = readMessage(bytes.subarray(prefix.length), "Unknown", [1, 2]);
    const typeMeta = readMessage(bytesOf(lastValue(envelope, 1)), "TypeMeta", [1, 2]);
    const apiVersion = textOf(lastValue(typeMeta, 1));
    const kind = textOf(lastValue(typeMeta, 2));
    const type = findStructType(apiVersion, kind);
    if (type === undefined) return { fault: `no kind "${kind}" is registered for version "${apiVersion}"` };
    known = { kind, version: apiVersion.slice(apiVersion.indexOf("/") + 1) };
    return { object: { apiVersion, kind, ...readStruct(type, bytesOf(lastValue(envelope, 2))) } };
  } catch (error) {
    if (error instanceof ProtobufError) return { fault: error.message, ...known };
    throw error;
  }
}

function readStruct(type: StructType, bytes: Uint8Array): JsonObject {
  const name = type.name.slice(type.name.indexOf(".") + 1);
  return Object.fromEntries(
    fieldsIn(bytes, { name, fields: [...type.fields.values()].map((field) => ({ field, path: field.numbers })) }),
  );
}

interface FieldPath {
  readonly field: Field;
  /** Field numbers; more than one in embedded structs, which are nested messages. */
  readonly path: readonly number[];
}

/** Reads the fields of a message, and those of the structs embedded in it. */
function fieldsIn(
  bytes: Uint8Array,
  { name, fields }: { name: string; fields: readonly FieldPath[] },
): [string, unknown][] {
  const numbers = [...new Set(fields.map(({ path: [number = 0] }) => number))];
  const message = readMessage(bytes, name, numbers);
  return numbers.flatMap((number) => {
    const known = fields.filter(({ path }) => path[0] === number);
    const values = message.filter((entry) => entry.number === number);
    const [first] = known;
    if (first === undefined || values.length === 0) return [];
    if (first.path.length > 1) {
      const inner = known.map(({ field, path }) => ({ field, path: path.slice(1) }));
      return values.flatMap(({ value }) =>
        value instanceof Uint8Array ? fieldsIn(value, { name, fields: inner }) : [],
      );
    }
    checkWireTypes(first.field, values);
    return [
      [
        first.field.name,
        readField(
          first.field,
          values.map(({ value }) => value),
        ),
      ],
    ];
  });
}

const numberKinds: readonly string[] = ["boolean", "int32", "int64"];

/** @throws ProtobufError */
function checkWireTypes({ name, type }: Field, values: Message): void {
  const item = type.kind === "list" ? type.item : type;
  const expected = numberKinds.includes(item.kind) ? 0 : 2;
  const wrong = values.find(({ wireType }) => wireType !== expected);
  if (wrong === undefined) return;
  const field = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  throw new ProtobufError(`proto: wrong wireType = ${wrong.wireType} for field ${field}`);
}

function readField({ type }: Field, values: readonly Value[]): unknown {
  if (type.kind === "list") return values.map((value) => readValue(type.item, value));
  if (type.kind !== "map") return readValue(type, values.at(-1));
  return Object.fromEntries(
    values.map((value) => {
      const entry = value instanceof Uint8Array ? readMessage(value, "MapEntry", [1, 2]) : [];
      const content = entry.findLast(({ number }) => number === 2)?.value;
      return [textOf(lastValue(entry, 1)), readValue(type.value, content)];
    }),
  );
}

function readValue(type: FieldType, value: Value | undefined): unknown {
  const bytes = bytesOf(value);
  switch (type.kind) {
    case "struct":
      return readStruct(type, bytes);
    // A list that is the value of a map is a nested message.
    case "list":
      return readMessage(bytes, "List", [1]).map(({ value: item }) => readValue(type.item, item));
    case "map":
      return {};
    case "string":
      return textOf(value);
    case "bytes":
      return Buffer.from(bytes).toString("base64");
    case "boolean":
      return value === 1n;
    case "int32":
    case "int64":
      return integerOf(value);
    case "quantity":
      return textOf(lastValue(readMessage(bytes, "Quantity", [1]), 1)) || "0";
    case "intOrString":
      return readIntOrString(readMessage(bytes, "IntOrString", [1, 2, 3]));
    case "time":
    case "microTime":
      return readTime(readMessage(bytes, "Time", [1, 2]), type.kind);
    case "duration":
      return `${numberAt(readMessage(bytes, "Duration", [1]), 1) / 1e9}s`;
    case "jsonSchema":
      return readJsonSchema(bytes);
    case "any":
      return readJson(value, "RawExtension");
  }
}

function numberAt(message: Message, number: number): number {
  return integerOf(lastValue(message, number));
}

function readIntOrString(message: Message): number | string {
  return numberAt(message, 1) === 0 ? numberAt(message, 2) : textOf(lastValue(message, 3));
}

function readTime(message: Message, kind: "time" | "microTime"): string | null {
  const seconds = numberAt(message, 1);
  if (seconds === 0) return null;
  // Beyond the range of dates.
  if (Math.abs(seconds) > 8.64e12) throw new ProtobufError("proto: integer overflow");
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (kind === "time") return `${text}Z`;
  return `${text}.${String(Math.floor(numberAt(message, 2) / 1000)).padStart(6, "0")}Z`;
}
