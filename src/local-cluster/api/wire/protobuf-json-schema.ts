import type { JsonObject } from "../json.ts";
import { ProtobufError, readMessage } from "./protobuf-message.ts";
import { bytesOf, integerOf, lastValue, readJson, textOf, type Value } from "./protobuf-values.ts";

/** A field of a schema. Go writes empty values, too; `optional` ones are absent in JSON if they are empty. */
interface SchemaField {
  readonly name: string;
  readonly wireType: 0 | 1 | 2;
  /** Reads all values of the field in a message; `depth` is that of the schema. */
  readonly read: (values: readonly Value[], depth: number) => unknown;
}

/** A level takes several frames of the stack. Kubernetes limits only the message's size. */
const maxDepth = 1000;

const last =
  <T>(read: (value: Value, depth: number) => T) =>
  (values: readonly Value[], depth: number): T | undefined => {
    const value = values.at(-1);
    return value === undefined ? undefined : read(value, depth);
  };
const all =
  <T>(read: (value: Value, depth: number) => T) =>
  (values: readonly Value[], depth: number): readonly T[] =>
    values.map((value) => read(value, depth));
const map =
  <T>(read: (value: Value, depth: number) => T) =>
  (values: readonly Value[], depth: number): Readonly<Record<string, T>> =>
    Object.fromEntries(
      values.map((value) => {
        const entry = readMessage(bytesOf(value), "MapEntry", [1, 2]);
        return [textOf(lastValue(entry, 1)), read(lastValue(entry, 2), depth)];
      }),
    );

const isTrue = (value: Value): boolean => value === 1n;
const doubleOf = (value: Value): number =>
  new Float64Array(new BigUint64Array([typeof value === "bigint" ? value : 0n]).buffer)[0] ?? 0;

const jsonOf = (value: Value): unknown => readJson(value, "JSON");

const schemaOf = (value: Value, depth: number): JsonObject => readFields(value, { ...schema, depth: depth + 1 });

function schemaOrList(value: Value, depth: number): unknown {
  const message = readMessage(bytesOf(value), "JSONSchemaPropsOrArray", [1, 2]);
  const [single] = message.filter(({ number }) => number === 1);
  return single === undefined ? message.map((field) => schemaOf(field.value, depth)) : schemaOf(single.value, depth);
}

function schemaOrBoolean(value: Value, depth: number): unknown {
  const message = readMessage(bytesOf(value), "JSONSchemaPropsOrBool", [1, 2]);
  const found = message.findLast(({ number }) => number === 2);
  return found === undefined ? isTrue(lastValue(message, 1)) : schemaOf(found.value, depth);
}

function schemaOrNames(value: Value, depth: number): unknown {
  const message = readMessage(bytesOf(value), "JSONSchemaPropsOrStringArray", [1, 2]);
  const found = message.findLast(({ number }) => number === 1);
  return found === undefined ? message.map((field) => textOf(field.value)) : schemaOf(found.value, depth);
}

const text = (name: string): SchemaField => ({ name, wireType: 2, read: last((value) => textOf(value) || undefined) });
const textPointer = (name: string): SchemaField => ({ name, wireType: 2, read: last(textOf) });
const boolean = (name: string): SchemaField => ({
  name,
  wireType: 0,
  read: last((value) => isTrue(value) || undefined),
});
const booleanPointer = (name: string): SchemaField => ({ name, wireType: 0, read: last(isTrue) });
const integer = (name: string): SchemaField => ({ name, wireType: 0, read: last(integerOf) });
const double = (name: string): SchemaField => ({ name, wireType: 1, read: last(doubleOf) });
const other = (name: string, read: SchemaField["read"]): SchemaField => ({ name, wireType: 2, read });

const documentation = { type: "ExternalDocumentation", fields: [text("description"), text("url")] };
const rule = {
  type: "ValidationRule",
  fields: [
    ...[textPointer("rule"), text("message"), text("messageExpression"), textPointer("reason"), text("fieldPath")],
    booleanPointer("optionalOldSelf"),
  ],
};

/** The fields in the order of their numbers, from 1. Source: apiextensions.k8s.io/v1, JSONSchemaProps. */
const schema: MessageType = {
  type: "JSONSchemaProps",
  fields: [
    ...[text("id"), text("$schema"), textPointer("$ref"), text("description"), text("type"), text("format")],
    ...[text("title"), other("default", last(jsonOf))],
    ...[double("maximum"), boolean("exclusiveMaximum"), double("minimum"), boolean("exclusiveMinimum")],
    ...[integer("maxLength"), integer("minLength"), text("pattern"), integer("maxItems"), integer("minItems")],
    ...[boolean("uniqueItems"), double("multipleOf"), other("enum", all(jsonOf))],
    ...[integer("maxProperties"), integer("minProperties"), other("required", all(textOf))],
    ...[other("items", last(schemaOrList)), other("allOf", all(schemaOf)), other("oneOf", all(schemaOf))],
    ...[other("anyOf", all(schemaOf)), other("not", last(schemaOf)), other("properties", map(schemaOf))],
    ...[other("additionalProperties", last(schemaOrBoolean)), other("patternProperties", map(schemaOf))],
    ...[other("dependencies", map(schemaOrNames)), other("additionalItems", last(schemaOrBoolean))],
    ...[other("definitions", map(schemaOf))],
    other(
      "externalDocs",
      last((value, depth) => readFields(value, { ...documentation, depth })),
    ),
    ...[other("example", last(jsonOf)), boolean("nullable")],
    ...[booleanPointer("x-kubernetes-preserve-unknown-fields"), boolean("x-kubernetes-embedded-resource")],
    ...[boolean("x-kubernetes-int-or-string"), other("x-kubernetes-list-map-keys", all(textOf))],
    ...[textPointer("x-kubernetes-list-type"), textPointer("x-kubernetes-map-type")],
    other(
      "x-kubernetes-validations",
      all((value, depth) => readFields(value, { ...rule, depth })),
    ),
  ],
};

interface MessageType {
  readonly type: string;
  readonly fields: readonly SchemaField[];
}

function readFields(value: Value, { type, fields, depth }: MessageType & { readonly depth: number }): JsonObject {
  if (depth > maxDepth) throw new ProtobufError(`proto: ${type}: nested more than ${maxDepth} levels deep`);
  const message = readMessage(
    bytesOf(value),
    type,
    [...fields.keys()].map((index) => index + 1),
  );
  const found = new Map<number, Value[]>();
  for (const { number, wireType, value: content } of message) {
    const field = fields[number - 1];
    if (field === undefined) continue;
    if (wireType !== field.wireType) {
      throw new ProtobufError(`proto: wrong wireType = ${wireType} for field ${field.name}`);
    }
    const values = found.get(number);
    if (values === undefined) found.set(number, [content]);
    else values.push(content);
  }
  const entries = [...found].map(([number, values]) => {
    const field = fields[number - 1];
    return [field?.name ?? "", field?.read(values, depth)] as const;
  });
  return Object.fromEntries(entries.filter(([, content]) => content !== undefined));
}

/**
 * Decodes the schema of a custom resource, as JSON writes it.
 *
 * @throws ProtobufError
 */
export function readJsonSchema(bytes: Uint8Array): JsonObject {
  return schemaOf(bytes, 0);
}
