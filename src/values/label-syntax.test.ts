import fc from "fast-check";
import { expect, test } from "vitest";
import { isAnnotationKey, isLabelKey, isLabelValue } from "./label-syntax.ts";

test.each([
  ["team", true],
  ["example.com/Team_1.x", true],
  ["a".repeat(63), true],
  ["a".repeat(64), false],
  ["", false],
  ["/a", false],
  ["a/", false],
  ["a/b/c", false],
  ["Example.com/a", false],
  ["-a", false],
  ["a b", false],
])("the key of a label %j: %s", (key, isValid) => {
  expect(isLabelKey(key)).toBe(isValid);
});

test("the prefix of an annotation can have upper-case letters", () => {
  expect(isAnnotationKey("Example.com/a")).toBe(true);
  expect(isAnnotationKey("a b")).toBe(false);
});

test("a value has the form that Kubernetes documents", () => {
  const pattern = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
  const text = fc.string({ unit: fc.constantFrom("a", "Z", "0", "-", "_", ".", " ", "é"), maxLength: 70 });
  fc.assert(fc.property(text, (value) => isLabelValue(value) === (value.length <= 63 && pattern.test(value))));
});
