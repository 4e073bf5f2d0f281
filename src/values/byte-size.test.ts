import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byteUnits, parseByteSize, printByteSize } from "./byte-size.ts";

const mebibytes = (text: string) => {
  const size = parseByteSize(text, { unit: "MiB", binarySuffixes: false });
  return size.ok ? size.value : size.reason.split("\n").at(-1);
};

test.each([
  ["1", 1],
  [" 512M ", 512],
  ["2gb", 2048],
  ["1t", 1_048_576],
  ["1500k", 1],
  ["1b", 0],
])("parses %j as %d MiB, truncated", (text, value) => {
  expect(mebibytes(text)).toBe(value);
});

test.each([
  ["12x", 'Invalid suffix: "x"'],
  ["1.5G", "Fractional values are not supported. Input was: 1.5"],
  ["1 g", "Failed to parse byte string: 1 g"],
  ["-1", "Failed to parse byte string: -1"],
  ["", "Failed to parse byte string: "],
  ["9223372036854775808", 'For input string: "9223372036854775808"'],
  ["1gib", 'Invalid suffix: "gib"'],
])("rejects %j with Spark's message", (text, reason) => {
  expect(mebibytes(text)).toBe(reason);
});

test("starts the message with the format of sizes", () => {
  expect(parseByteSize("x", { unit: "B", binarySuffixes: false })).toMatchObject({
    reason: expect.stringMatching(/^Size must be specified as bytes \(b\), .* E\.g\. 50b, 100k, or 250m\.\n/),
  });
});

test("rejects a size of more than 64 bits", () => {
  expect(parseByteSize("9223372036854775807p", { unit: "B", binarySuffixes: false }).ok).toBe(false);
});

describe("binary suffixes, if enabled", () => {
  test.each(["1gi", "1GiB", "1024mib"])("%s is a gibibyte", (text) => {
    expect(parseByteSize(text, { unit: "GiB", binarySuffixes: true })).toEqual({ ok: true, value: 1 });
  });
});

test("parses printed sizes", () => {
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(...byteUnits.slice(0, 4)), (value, unit) => {
      expect(parseByteSize(printByteSize(value, unit), { unit, binarySuffixes: false })).toEqual({
        ok: true,
        value,
      });
    }),
  );
});

/** Digits and what may follow them, names of an object's own members included. */
const sizeLike = fc
  .tuple(
    fc.oneof(fc.nat().map(String), fc.constantFrom("", "-1", "1.5", "99999999999999999999")),
    fc.oneof(fc.string(), fc.constantFrom("constructor", "valueOf", "kib", "PB", " m")),
  )
  .map((parts) => parts.join(""));

test("parses any text to an integer or rejects it with a message", () => {
  const units = fc.constantFrom(...byteUnits);
  fc.assert(
    fc.property(sizeLike, units, fc.boolean(), (text, unit, binarySuffixes) => {
      const size = parseByteSize(text, { unit, binarySuffixes });
      if (size.ok) expect(Number.isInteger(size.value) && size.value >= 0).toBe(true);
      else expect(size.reason).not.toBe("");
    }),
    { numRuns: 500 },
  );
});

test("ignores case and surrounding whitespace", () => {
  fc.assert(
    fc.property(sizeLike, (text) => {
      expect(parseByteSize(` ${text.toUpperCase()}\t`, { unit: "B", binarySuffixes: true }).ok).toBe(
        parseByteSize(text.toUpperCase(), { unit: "B", binarySuffixes: true }).ok,
      );
    }),
  );
});
