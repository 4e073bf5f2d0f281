import { expect, test } from "vitest";
import { embeddedErrors } from "./embedded-errors.ts";
import type { Schema } from "./schema.ts";

const schema: Schema = {
  type: "object",
  properties: { t: { type: "object", "x-kubernetes-embedded-resource": true } },
};

test.each<[object, readonly string[]]>([
  [{ apiVersion: "v1", kind: "Pod", metadata: { finalizers: ["any.name"] } }, []],
  [{}, ["t.apiVersion: Required value", "t.kind: Required value"]],
  [
    { apiVersion: "a/b/c", kind: "" },
    [
      't.kind: Invalid value: "": must not be empty',
      't.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
  ],
])("validates the type and metadata of an embedded resource: %j", (t, errors) => {
  expect(embeddedErrors(schema, { t }).map(({ field, message }) => `${field}: ${message}`)).toEqual(errors);
});

test("reports invalid labels of an embedded resource", () => {
  const t = { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "!" } } };
  expect(embeddedErrors(schema, { t })).toMatchObject([{ field: "t.metadata.labels" }]);
});
