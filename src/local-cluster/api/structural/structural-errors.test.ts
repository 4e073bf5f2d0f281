import { expect, test } from "vitest";
import { defaultErrors } from "./default-errors.ts";
import type { Schema } from "./schema.ts";
import { schemaErrors } from "./schema-errors.ts";
import { structuralErrors } from "./structural-errors.ts";

const texts = (errors: readonly { readonly field: string; readonly message: string }[]) =>
  errors.map(({ field, message }) => `${field}: ${message}`);

test.each<[string, Schema, readonly string[]]>([
  [
    "no type",
    { properties: { a: {} } },
    [
      "s.properties[a].type: Required value: must not be empty for specified object fields",
      "s.type: Required value: must not be empty at the root",
    ],
  ],
  [
    "no items",
    { type: "object", properties: { a: { type: "array" } } },
    ["s.properties[a].items: Required value: must be specified"],
  ],
  [
    "types in value validations",
    { type: "object", properties: { a: { type: "string" } }, anyOf: [{ properties: { a: { type: "string" } } }] },
    ["s.anyOf[0].properties[a].type: Forbidden: must be empty to be structural"],
  ],
  [
    "types of an integer or string",
    {
      type: "object",
      properties: { a: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] } },
    },
    [],
  ],
  [
    "fields only in value validations",
    { type: "object", not: { properties: { a: {} } } },
    ["s.properties[a]: Required value: because it is defined in s.not.properties[a]"],
  ],
  [
    "other metadata than names",
    { type: "object", properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } } },
    [
      "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  ],
  [
    "an embedded resource without fields",
    {
      type: "object",
      properties: { a: { type: "object", "x-kubernetes-embedded-resource": true } },
    },
    [
      "s.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
    ],
  ],
  [
    "a pattern that is not one",
    { type: "object", properties: { a: { type: "string", pattern: "(" } } },
    [
      's.properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
    ],
  ],
])("rejects a schema that is not structural: %s", (_, schema, errors) => {
  expect(texts(structuralErrors(schema, "s"))).toEqual(errors);
});

test.each<[string, Schema, readonly string[]]>([
  [
    "unknown type",
    { type: "x" },
    ['s.type: Unsupported value: "x": supported values: "array", "boolean", "integer", "number", "object", "string"'],
  ],
  ["$ref", { $ref: "#/x" }, ["s.$ref: Forbidden: $ref is not supported"]],
  [
    "both kinds of properties",
    { properties: { a: {} }, additionalProperties: {} },
    ["s.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
  ],
  [
    "a default in the metadata",
    { properties: { metadata: { properties: { name: { default: "x" } } } } },
    ["s.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata"],
  ],
  [
    "a list type without a list",
    { type: "string", "x-kubernetes-list-type": "set" },
    ['s.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified'],
  ],
  [
    "a map without keys",
    { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" },
    ["s.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"],
  ],
  [
    "optional keys",
    {
      type: "array",
      items: { type: "object", properties: { k: { type: "string" } } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
    },
    [
      "s.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
    ],
  ],
  [
    "an empty rule",
    { "x-kubernetes-validations": [{ rule: " " }] },
    ["s.x-kubernetes-validations[0].rule: Required value: rule is not specified"],
  ],
])("rejects a schema that Kubernetes rejects: %s", (_, schema, errors) => {
  expect(texts(schemaErrors(schema, "s"))).toEqual(errors);
});

test("rejects defaults that do not fit", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      a: { type: "integer", default: "x" },
      b: { type: "object", properties: { c: { type: "string" } }, default: { d: 1 } },
    },
  };
  expect(texts(defaultErrors(schema, "s"))).toEqual([
    's.properties[a].default: Invalid value: "string":  in body must be of type integer: "string"',
    's.properties[b].default: Invalid value: {"d":1}: must not have unknown fields',
  ]);
});
