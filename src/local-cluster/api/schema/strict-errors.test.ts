import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { structType } from "./schema.ts";
import { maxStrictErrors, strictErrors } from "./strict-errors.ts";

const errorsOf = (text: string) => strictErrors(text, structType("core.ConfigMap"));

describe("unknown and duplicate fields", () => {
  test("are found at any depth, in the order of the text", () => {
    const text = `{"u": 1, "data": {"a": "}", "\\u0061": "\\"", "a":"c"}, "kind":"ConfigMap", "immutable":true,
      "metadata": {"ownerReferences": [{}, {"x": [1, {}], "uid": "1", "uid": "2"}]}, "immutable":false, "u": 2}`;
    expect(errorsOf(text)).toEqual([
      'unknown field "u"',
      'duplicate field "data.a"',
      'unknown field "metadata.ownerReferences[1].x"',
      'duplicate field "metadata.ownerReferences[1].uid"',
      'duplicate field "immutable"',
    ]);
  });

  test("are not reported within an unknown field or a raw value", () => {
    expect(errorsOf('{"x":{"a":1,"a":2},"metadata":{"managedFields":[{"fieldsV1":{"a":{},"a":{}}}]}}')).toEqual([
      'unknown field "x"',
    ]);
  });

  test("are reported up to a limit", { tags: "long" }, () => {
    const fields = Array.from({ length: 100_000 }, (_, index) => `"u${index}":${index}`);
    expect(errorsOf(`{${fields.join(",")}}`)).toHaveLength(maxStrictErrors);
    expect(errorsOf(`{${fields.map(() => '"u":1').join(",")}}`)).toEqual(['unknown field "u"']);
  });

  test("are found in text of any depth", () => {
    const deep = (inner: string) => `${'{"a":['.repeat(5000)}${inner}${"]}".repeat(5000)}`;
    expect(errorsOf(`{"x":${deep("1")}}`)).toEqual(['unknown field "x"']);
    expect(strictErrors(deep('{"b":1,"b":2}'), "anything")).toEqual([
      expect.stringMatching(/^duplicate field "a\[0\]\.a/),
    ]);
  });
});

test("serialized values have no duplicate fields", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
      expect(strictErrors(JSON.stringify(value, undefined, indent), "anything")).toEqual([]);
    }),
  );
});
