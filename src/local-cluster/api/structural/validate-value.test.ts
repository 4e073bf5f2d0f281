import { expect, test } from "vitest";
import type { Schema } from "./schema.ts";
import { validateValue } from "./validate-value.ts";

const inSpec = (spec: Schema): Schema => ({ type: "object", properties: { spec } });

const textsOf = (schema: Schema, value: unknown, old?: unknown) =>
  validateValue(schema, value, { old }).map(({ field, message }) => `${field}: ${message}`);

test.each<[string, Schema, unknown, readonly string[]]>([
  ["type", { type: "integer" }, "a", ['spec: Invalid value: "string": spec in body must be of type integer: "string"']],
  ["null", { type: "object" }, null, ['spec: Invalid value: "null": spec in body must be of type object: "null"']],
  ["permitted null", { type: "object", nullable: true }, null, []],
  ["integer for number", { type: "number" }, 1, []],
  [
    "int or string",
    { "x-kubernetes-int-or-string": true },
    true,
    ['spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"'],
  ],
  ["enum", { type: "integer", enum: [1, 2] }, 3, ['spec: Unsupported value: 3: supported values: "1", "2"']],
  ["pattern", { type: "string", pattern: "^a$" }, "b", ["spec: Invalid value: \"b\": spec in body should match '^a$'"]],
  ["maxLength", { type: "string", maxLength: 1 }, "ab", ["spec: Too long: may not be more than 1 byte"]],
  [
    "minLength",
    { type: "string", minLength: 3 },
    "ab",
    ['spec: Invalid value: "ab": spec in body should be at least 3 chars long'],
  ],
  [
    "maximum and minimum",
    { type: "integer", maximum: 3, exclusiveMaximum: true, minimum: 4 },
    3,
    [
      "spec: Invalid value: 3: spec in body should be less than 3",
      "spec: Invalid value: 3: spec in body should be greater than or equal to 4",
    ],
  ],
  [
    "multipleOf",
    { type: "number", multipleOf: 0.1 },
    0.25,
    ["spec: Invalid value: 0.25: spec in body should be a multiple of 0.1"],
  ],
  [
    "minItems",
    { type: "array", minItems: 2, items: { type: "string" } },
    ["a"],
    ["spec: Invalid value: 1: spec in body should have at least 2 items"],
  ],
  ["maxItems", { type: "array", maxItems: 1 }, [1, 2], ["spec: Too many: 2: must have at most 1 item"]],
  [
    "items",
    { type: "array", items: { type: "string" } },
    ["a", 1],
    ['spec[1]: Invalid value: "integer": spec[1] in body must be of type string: "integer"'],
  ],
  [
    "required and nested",
    { type: "object", required: ["a"], properties: { b: { type: "object", required: ["c"] } } },
    { b: {} },
    ["spec.b.c: Required value", "spec.a: Required value"],
  ],
  [
    "maxProperties",
    { type: "object", maxProperties: 1 },
    { a: 1, b: 2 },
    ["spec: Too many: 2: must have at most 1 item"],
  ],
  [
    "additionalProperties",
    { type: "object", additionalProperties: { type: "integer" } },
    { a: "x" },
    ['spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"'],
  ],
  [
    "format",
    { type: "string", format: "ipv4" },
    "x",
    ['spec: Invalid value: "x": spec in body must be of type ipv4: "x"'],
  ],
  ["unknown format", { type: "string", format: "x" }, "x", []],
  [
    "anyOf",
    { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    {},
    ['<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)', "spec.a: Required value"],
  ],
  [
    "oneOf",
    { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] },
    { a: 1, b: 1 },
    ['<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
  ],
  [
    "allOf",
    { type: "object", allOf: [{ required: ["a"] }] },
    {},
    [
      "spec.a: Required value",
      '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf). None validated',
    ],
  ],
  [
    "not",
    { type: "object", not: { required: ["a"] } },
    { a: 1 },
    ['<nil>: Invalid value: "": "spec" must not validate the schema (not)'],
  ],
])("reports Kubernetes' errors: %s", (_, schema, value, errors) => {
  expect(textsOf(inSpec(schema), { spec: value })).toEqual(errors);
});

test("does not report errors of unchanged parts", () => {
  const schema: Schema = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: { type: "object", properties: { k: { type: "string" }, n: { type: "integer", maximum: 1 } } },
  };
  const old = [{ k: "a", n: 5 }];
  expect(textsOf(schema, [{ k: "b", n: 1 }, ...old], old)).toEqual([]);
  expect(textsOf(schema, [{ k: "a", n: 6 }], old)).toHaveLength(1);
});

test("prefixes the errors of a part of an object", () => {
  const schema: Schema = { type: "object", required: ["a"] };
  expect(validateValue(schema, {}, { root: "status" })).toMatchObject([{ field: "status.a" }]);
});
