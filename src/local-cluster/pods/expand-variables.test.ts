import fc from "fast-check";
import { expect, test } from "vitest";
import { expandVariables } from "./expand-variables.ts";

const lookUp = (name: string) => ({ A: "1", B: "$(A)", EMPTY: "" })[name];

test.each([
  ["b-$(A)-$(LATER)-$$(A)", "b-1-$(LATER)-$(A)"],
  ["$(B)$(EMPTY)", "$(A)"],
  ["$A ${A} $( A) $", "$A ${A} $( A) $"],
  ["$$$(A) $$$$(A)", "$1 $$(A)"],
  ["$(A", "$(A"],
])("expands %s to %s", (text, expected) => {
  expect(expandVariables(text, lookUp)).toBe(expected);
});

test("returns a text with doubled dollar signs unchanged", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(expandVariables(text.replaceAll("$", "$$$$"), lookUp)).toBe(text);
    }),
  );
});

test("takes linear time for many references without an end", () => {
  const text = "$(".repeat(500_000);
  expect(expandVariables(text, lookUp)).toBe(text);
});
