import { expect, test } from "vitest";
import type { Schema } from "../structural/schema.ts";
import { customShape } from "./custom-shape.ts";
import { printPaths } from "./field-set.ts";
import { fieldsOf } from "./typed-value.ts";

const schema: Schema = {
  type: "object",
  properties: {
    undivided: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: { type: "string" } } },
    map: { type: "object", additionalProperties: { type: "object", properties: { b: { type: "string" } } } },
    any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    list: { type: "array", items: { type: "string" } },
    set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    keyed: {
      ...{ type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "p"] },
      items: { type: "object", properties: { p: { type: "string", default: "TCP" } } },
    },
  },
};

test("divides a custom resource by its schema", () => {
  const object = {
    ...{ apiVersion: "g/v1", metadata: { labels: { l: "1" } }, undivided: { a: "1" }, map: { x: { b: "1" } } },
    ...{ any: { c: { d: [1] } }, list: ["1"], set: ["1"], keyed: [{ k: "1", v: 2 }] },
  };
  expect(printPaths(fieldsOf(object, customShape(schema)))).toEqual([
    ...[
      ".any.c.d",
      ".apiVersion",
      '.keyed[k="1",p="TCP"]',
      '.keyed[k="1",p="TCP"].k',
      '.keyed[k="1",p="TCP"].v',
      ".list",
    ],
    ...[".map.x.b", ".metadata.labels.l", '.set[="1"]', ".undivided"],
  ]);
});
