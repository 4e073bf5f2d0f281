import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJavaDouble, parseJavaInt, parseJavaLong, printJavaDouble } from "./java-number.ts";

test.each(["", " 1", "1.0", "--1", "1_0", "2147483648", "-2147483649", "0x1"])("rejects the int %j", (text) => {
  expect(parseJavaInt(text)).toBeUndefined();
});

test("parses ints and longs with a sign up to their limits", () => {
  expect([parseJavaInt("+3"), parseJavaInt("-2147483648"), parseJavaInt("007")]).toEqual([3, -2_147_483_648, 7]);
  expect(parseJavaLong("9223372036854775807")).toBe(2 ** 63);
  expect(parseJavaLong("9223372036854775808")).toBeUndefined();
});

test.each([
  ["1", 1],
  [" 1. ", 1],
  [".5", 0.5],
  ["1E+3", 1000],
  ["1d", 1],
  ["-2F", -2],
  ["-Infinity", -Infinity],
  ["1e400", Infinity],
])("parses the double %j", (text, value) => {
  expect(parseJavaDouble(text)).toBe(value);
});

test.each(["", ".", "e5", "1e", "--1", "1L", "nan", "Infinityf", "NaNd"])("rejects the double %j", (text) => {
  expect(parseJavaDouble(text)).toBeUndefined();
});

test("takes linear time for a text of many digits", () => {
  expect(parseJavaDouble(`${"9".repeat(400_000)}x`)).toBeUndefined();
});

test.each([
  [0.1, "0.1"],
  [1, "1.0"],
  [-0, "-0.0"],
  [9_999_999.5, "9999999.5"],
  [1e7, "1.0E7"],
  [12_345_678, "1.2345678E7"],
  [0.001, "0.001"],
  [0.00015, "1.5E-4"],
  [1e21, "1.0E21"],
  [Number.NaN, "NaN"],
  [-Infinity, "-Infinity"],
])("prints %d as Java does", (value, text) => {
  expect(printJavaDouble(value)).toBe(text);
});

test("parses printed numbers", () => {
  fc.assert(
    fc.property(fc.double(), (value) => {
      expect(parseJavaDouble(printJavaDouble(value))).toBe(value);
    }),
  );
});
