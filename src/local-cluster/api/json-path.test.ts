import { expect, test } from "vitest";
import { compilePath, fieldsOfPath, valueAt } from "./json-path.ts";

const object = {
  metadata: { labels: { "a.b/c": "x" } },
  status: {
    conditions: [
      { type: "A", status: "True" },
      { type: "B", status: "False" },
    ],
    list: [1, 2],
  },
};

test.each([
  [".status.list[0]", [1]],
  [".status.list[-1]", [2]],
  [".status.list[*]", [1, 2]],
  ['.status.conditions[?(@.type=="B")].status', ["False"]],
  [".status.conditions[?(@.type!='B')].status", ["True"]],
  [".metadata.labels.a\\.b/c", ["x"]],
  [".metadata.labels['a.b/c']", ["x"]],
  [".status.missing", []],
  [".constructor", []],
])("reads %s", (path, values) => {
  expect(compilePath(path)?.(object)).toEqual(values);
});

test("does not support other syntax", () => {
  expect([compilePath(".a[?(@.b)]"), compilePath("a"), compilePath(".a[")]).toEqual([undefined, undefined, undefined]);
});

test("reads the value of fields", () => {
  expect(valueAt(object, fieldsOfPath(".status.list"))).toEqual([1, 2]);
  expect(valueAt(object, fieldsOfPath(".status.list.x"))).toBeUndefined();
});
