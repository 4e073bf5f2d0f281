import fc from "fast-check";
import { expect, test } from "vitest";
import { duplicateFields } from "./duplicate-fields.ts";

test("finds duplicate fields at any depth", () => {
  expect(duplicateFields('{"a":1,"b":{"c":[{"d":1,"d":"}"}, {"e":"\\"","e":null}]},"a":{}}')).toEqual([
    "b.c[0].d",
    "b.c[1].e",
    "a",
  ]);
});

test("finds none in serialized values", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
      expect(duplicateFields(JSON.stringify(value, undefined, indent))).toEqual([]);
    }),
  );
});
