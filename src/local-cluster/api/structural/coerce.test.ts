import { expect, test } from "vitest";
import { DecodeError } from "../schema/decode.ts";
import { dropNulls, fillDefaults, prune, readEmbedded } from "./coerce.ts";
import type { Schema } from "./schema.ts";

const pruned = (schema: Schema, value: object) => {
  const unknown: string[] = [];
  prune(value, schema, unknown);
  return { value, unknown };
};

test("removes unknown fields and reports their paths", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      list: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
      map: { type: "object", additionalProperties: { type: "object", properties: { a: { type: "string" } } } },
    },
  };
  const value = { kind: "K", metadata: { x: 1 }, list: [{ a: "1", b: 1 }], map: { k: { b: 1 } }, other: {} };
  expect(pruned(schema, value)).toEqual({
    value: { kind: "K", metadata: { x: 1 }, list: [{ a: "1" }], map: { k: {} } },
    unknown: ["list[0].b", "map.k.b", "other"],
  });
});

test("keeps unknown fields where the schema preserves them", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        "x-kubernetes-preserve-unknown-fields": true,
        properties: { known: { type: "object" } },
      },
    },
  };
  const { value, unknown } = pruned(schema, { spec: { any: { deep: 1 }, known: { x: 1 } } });
  expect(value).toEqual({ spec: { any: { deep: 1 }, known: {} } });
  expect(unknown).toEqual(["spec.known.x"]);
});

test("removes fields named as members of every object", () => {
  const value = JSON.parse('{"spec":{"__proto__":{"x":1},"constructor":1}}');
  const { unknown } = pruned({ type: "object", properties: { spec: { type: "object" } } }, value);
  expect(unknown).toEqual(["spec.__proto__", "spec.constructor"]);
  expect(Object.keys(value.spec)).toEqual([]);
});

test("replaces null by the default, keeps permitted null, and removes other null values", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      a: { type: "string", default: "A" },
      b: { type: "string", nullable: true, default: "B" },
      c: { type: "string" },
      d: { type: "array", items: { type: "object", properties: { e: { type: "integer", default: 1 } } } },
      f: { type: "object", default: { g: [] } },
    },
  };
  const value = { a: null, b: null, c: null, d: [{}, { e: 2 }] };
  dropNulls(value, schema);
  fillDefaults(value, schema);
  expect(value).toEqual({ a: "A", b: null, d: [{ e: 1 }, { e: 2 }], f: { g: [] } });
});

test("decodes the metadata of embedded resources", () => {
  const schema: Schema = {
    type: "object",
    properties: { template: { type: "object", "x-kubernetes-embedded-resource": true } },
  };
  const unknown: string[] = [];
  const value = { template: { apiVersion: "v1", kind: "X", metadata: { name: "n", x: 1 } } };
  readEmbedded(value, schema, unknown);
  expect(value.template.metadata).toEqual({ name: "n" });
  expect(unknown).toEqual(["template.metadata.x"]);
  expect(() => readEmbedded({ template: { kind: 1 } }, schema, [])).toThrow(DecodeError);
  expect(() => readEmbedded({ template: { metadata: { labels: 1 } } }, schema, [])).toThrow(
    "template.metadata: Invalid value",
  );
});
