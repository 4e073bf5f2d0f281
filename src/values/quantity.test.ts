import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  printQuantity,
  type Quantity,
  quantityUnits,
} from "./quantity.ts";

function quantity(text: string): Quantity {
  return parseQuantity(text) ?? expect.unreachable(`${text} is not a quantity`);
}

test.each([
  ["1000m", "1"],
  ["0.5", "500m"],
  ["1000", "1k"],
  ["123456", "123456"],
  ["1024", "1024"],
  ["1Ki", "1Ki"],
  ["1024Mi", "1Gi"],
  ["1408Mi", "1408Mi"],
  ["1.5Gi", "1536Mi"],
  ["0.5Ki", "512"],
  ["1024.5Ki", "1049088"],
  ["0.1n", "1n"],
  ["-0.1n", "-1n"],
  ["1e3", "1e3"],
  ["1000e3", "1e6"],
  ["1E", "1E"],
  ["0.0", "0"],
  ["+5", "+5"],
  ["1.500", "1.500"],
  ["1.50", "1500m"],
  ["30Ei", "9223372036854775807"],
])("prints %s as %s", (text, canonical) => {
  expect(printQuantity(quantity(text))).toBe(canonical);
});

test.each(["", " 1", "1 ", "12x", "1e", "1e3k", "1ki", "1Kib", "--1", "1.2.3", "0x1", "1e99999999999"])(
  "rejects %j",
  (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  },
);

describe("arithmetic", () => {
  test("compares quantities of any units", () => {
    expect(compareQuantities(quantity("1Gi"), quantity("1G"))).toBe(1);
    expect(compareQuantities(quantity("1000m"), quantity("1"))).toBe(0);
    expect(compareQuantities(quantity("-1"), quantity("1n"))).toBe(-1);
  });

  test("adds in the format of the first quantity", () => {
    expect(printQuantity(addQuantities(quantity("1Gi"), quantity("512Mi")))).toBe("1536Mi");
    expect(printQuantity(addQuantities(quantity("0"), quantity("512Mi")))).toBe("512Mi");
    expect(printQuantity(addQuantities(quantity("250m"), quantity("750m")))).toBe("1");
  });

  test("rounds units away from zero", () => {
    expect([quantityUnits(quantity("1500m")), quantityUnits(quantity("1Ki"))]).toEqual([2, 1024]);
  });
});

const quantityText = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.nat({ max: 99_999 }),
    fc.option(fc.nat({ max: 999 })),
    fc.constantFrom("", "n", "u", "m", "k", "M", "G", "Ki", "Mi", "Gi", "e2", "e-3"),
  )
  .map(([sign, integer, fraction, suffix]) => `${sign}${integer}${fraction === null ? "" : `.${fraction}`}${suffix}`);

test("prints a text of the same quantity, which is canonical in its format", () => {
  fc.assert(
    fc.property(quantityText, (text) => {
      const original = quantity(text);
      const printed = printQuantity(original);
      const parsed = quantity(printed);
      expect(parsed.nano).toBe(original.nano);
      // Kubernetes, too, prints 80437.5Ki as 82368000, and 82368000 as 82368k: bytes without a suffix are decimal.
      if (parsed.format === original.format) expect(printQuantity(parsed)).toBe(printed);
    }),
    { examples: [["80437.5Ki"]] },
  );
});

test("rejects any text or parses it to a quantity that can be printed and parsed again", () => {
  const text = fc.oneof(
    fc.string(),
    fc
      .tuple(
        fc.constantFrom("", "+", "-"),
        fc.constantFrom("", "0", "007", "12", "1.5", ".5", "1.", "99999999999999999999"),
        fc.constantFrom("", "m", "Ki", "e3", "E", "E-999", "e1001", "constructor", "toString", "kI"),
      )
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      const found = parseQuantity(candidate);
      if (found === undefined) return;
      expect(candidate).toMatch(/^[+-]?[0-9.]*([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$/);
      expect(quantity(printQuantity(found)).nano).toBe(found.nano);
    }),
    { numRuns: 500 },
  );
});
