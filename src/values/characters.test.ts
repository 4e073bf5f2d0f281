import fc from "fast-check";
import { expect, test } from "vitest";
import { digits, isMadeOf, letters, splitNumber } from "./characters.ts";

test("tests characters like a regular expression", () => {
  const set = `${digits}${letters}_.-`;
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\w.-]*$/)), (text) => {
      expect(isMadeOf(text, set)).toBe(/^[\w.-]*$/.test(text));
    }),
  );
});

test("splits a number from the rest of the text", () => {
  expect(splitNumber("512m")).toEqual({ number: "512", rest: "m" });
  expect(splitNumber("512")).toEqual({ number: "512", rest: "" });
  expect(splitNumber("m5")).toEqual({ number: "", rest: "m5" });
  expect(splitNumber("")).toEqual({ number: "", rest: "" });
});
