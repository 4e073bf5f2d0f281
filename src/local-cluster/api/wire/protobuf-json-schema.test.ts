import { expect, test } from "vitest";
import { readJsonSchema } from "./protobuf-json-schema.ts";
import { ProtobufError } from "./protobuf-message.ts";

function sized(number: number, content: string | Uint8Array): Uint8Array {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return Buffer.concat([tag(number, 2), base128(bytes.length), bytes]);
}

const number = (field: number, value: number): Uint8Array => Buffer.concat([tag(field, 0), base128(value)]);

function double(field: number, value: number): Uint8Array {
  return Buffer.concat([tag(field, 1), new Uint8Array(new Float64Array([value]).buffer)]);
}

const message = (...fields: readonly Uint8Array[]): Uint8Array => Buffer.concat(fields);

const entry = (key: string, value: Uint8Array): Uint8Array => message(sized(1, key), sized(2, value));

const tag = (field: number, wireType: number): Uint8Array => base128(field * 8 + wireType);

function base128(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

const typed = (type: string): Uint8Array => sized(5, type);

test("reads a schema as JSON writes it, without the empty values that Go writes", () => {
  const empty = [1, 2, 4, 5, 6, 7, 15].map((field) => sized(field, ""));
  const bytes = message(
    ...empty,
    typed("object"),
    sized(8, sized(1, '{"replicas":1}')),
    ...[double(9, 1.5), number(10, 1), number(12, 0), number(13, 300), number(27 + 10, 0)],
    ...[sized(20, sized(1, '"a"')), sized(20, sized(1, "2"))],
    ...[sized(23, "name"), sized(23, "size")],
    sized(24, sized(1, typed("string"))),
    ...[sized(25, typed("string")), sized(28, typed("integer"))],
    ...[sized(29, entry("name", typed("string"))), sized(29, entry("size", message(typed("integer"), number(38, 0))))],
    sized(30, message(number(1, 1), sized(2, typed("boolean")))),
    ...[sized(32, entry("size", sized(2, "name"))), sized(32, entry("name", sized(1, typed("object"))))],
    sized(33, number(1, 1)),
    sized(35, message(sized(1, ""), sized(2, "about:blank"))),
    ...[sized(41, "name"), sized(42, "map")],
    sized(44, message(sized(1, "self.size > 0"), sized(2, "too small"), sized(3, ""), number(6, 1))),
  );
  expect(readJsonSchema(bytes)).toEqual({
    type: "object",
    default: { replicas: 1 },
    maximum: 1.5,
    exclusiveMaximum: true,
    maxLength: 300,
    enum: ["a", 2],
    required: ["name", "size"],
    items: { type: "string" },
    allOf: [{ type: "string" }],
    not: { type: "integer" },
    properties: {
      name: { type: "string" },
      size: { type: "integer", "x-kubernetes-preserve-unknown-fields": false },
    },
    additionalProperties: { type: "boolean" },
    dependencies: { size: ["name"], name: { type: "object" } },
    additionalItems: true,
    externalDocs: { url: "about:blank" },
    "x-kubernetes-list-map-keys": ["name"],
    "x-kubernetes-list-type": "map",
    "x-kubernetes-validations": [{ rule: "self.size > 0", message: "too small", optionalOldSelf: true }],
  });
});

test("a list of schemas is one", () => {
  expect(readJsonSchema(sized(24, message(sized(2, typed("string")), sized(2, typed("integer")))))).toEqual({
    items: [{ type: "string" }, { type: "integer" }],
  });
});

test("rejects values of another type, and schemas nested too deep", () => {
  expect(() => readJsonSchema(number(5, 1))).toThrow(new ProtobufError("proto: wrong wireType = 0 for field type"));
  let nested = typed("object");
  for (let level = 0; level < 1001; level += 1) nested = sized(28, nested);
  expect(() => readJsonSchema(nested)).toThrow(
    new ProtobufError("proto: JSONSchemaProps: nested more than 1000 levels deep"),
  );
});
