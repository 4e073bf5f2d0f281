import { expect, test } from "vitest";
import { listTypeErrors } from "./list-types.ts";
import type { Schema } from "./schema.ts";

const inSpec = (list: Schema): Schema => ({ type: "object", properties: { list: { type: "array", ...list } } });

const texts = (schema: Schema, list: unknown) =>
  listTypeErrors(schema, { list }).map(({ field, message }) => `${field}: ${message}`);

test("reports the second occurrence of an item of a set", () => {
  const schema = inSpec({ "x-kubernetes-list-type": "set", items: { type: "integer" } });
  expect(texts(schema, [1, 2, 1, 1])).toEqual(["list[2]: Duplicate value: 1"]);
});

test("reports items of a map with the same keys", () => {
  const schema = inSpec({
    ...{ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"] },
    items: { type: "object" },
  });
  expect(texts(schema, [{ a: 1, c: 1 }, { a: 1 }, { a: 1, b: 1 }])).toEqual(['list[1]: Duplicate value: {"a":1}']);
  expect(texts(schema, [1])).toEqual(["list[0]: Invalid value: 1: must be an object for an array of list-type map"]);
});
