import { expect, test } from "vitest";
import { readSchema, schemasIn } from "./schema.ts";

test("removes unknown fields and empty values", () => {
  const schema = {
    ...{ type: "object", unknown: 1, nullable: false, required: [], pattern: "", minLength: 0 },
    properties: { a: { items: { type: "string", x: 1 } }, b: { additionalProperties: true } },
    "x-kubernetes-preserve-unknown-fields": false,
  };
  expect(readSchema(schema)).toEqual({
    ...{ type: "object", minLength: 0, "x-kubernetes-preserve-unknown-fields": false },
    properties: { a: { items: { type: "string" } }, b: { additionalProperties: true } },
  });
});

test.each([
  [{ type: 1 }, "json: cannot unmarshal number into Go struct field JSONSchemaProps.type of type string"],
  [{ nullable: "x" }, "json: cannot unmarshal string into Go struct field JSONSchemaProps.nullable of type bool"],
  [{ required: "x" }, "json: cannot unmarshal string into Go struct field JSONSchemaProps.required of type []string"],
  [{ properties: { a: [] } }, "json: cannot unmarshal array into Go value of type JSONSchemaProps"],
])("rejects a field of the wrong type: %j", (schema, message) => {
  expect(() => readSchema(schema)).toThrow(message);
});

test("finds the schemas in a schema", () => {
  const schema = { properties: { a: { items: { title: "t" } } }, anyOf: [{ not: {} }], additionalProperties: {} };
  expect(schemasIn(schema)).toHaveLength(6);
});
