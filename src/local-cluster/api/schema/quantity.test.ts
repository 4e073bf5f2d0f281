import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addQuantities, parseQuantity, printQuantity } from "./quantity.ts";

const printed = (text: string) => {
  const quantity = parseQuantity(text);
  return quantity && printQuantity(quantity);
};

describe("a quantity", () => {
  test.each([
    ["1.5Gi", "1536Mi"],
    ["1024Ki", "1Mi"],
    ["0.5Ki", "512"],
    ["0.5", "500m"],
    ["1000m", "1"],
    ["1500m", "1500m"],
    ["0.0005", "500u"],
    ["1e3", "1e3"],
    ["12000", "12k"],
    ["100k", "100k"],
    ["-1", "-1"],
    ["0Gi", "0"],
    [".5", "500m"],
    ["5.", "5"],
    ["0.1n", "1n"],
  ])("%s is written %s", (text, expected) => {
    expect(printed(text)).toBe(expected);
  });

  test.each(["", "Gi", "1 Gi", "1GiB", "1e", "one", "1.2.3", "1K", "--1"])("%j is none", (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  test("is the same when it was written before", () => {
    const amounts = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
    const formats = fc.constantFrom("binary", "decimal", "exponent");
    fc.assert(
      fc.property(amounts, formats, (nano, format) => {
        // Binary amounts are whole bytes when they are large.
        const exact = format === "binary" ? nano - (nano % 1_000_000_000n) : nano;
        const text = printQuantity({ nano: exact, format });
        expect(parseQuantity(text)?.nano).toBe(exact);
        expect(printed(text)).toBe(text);
      }),
    );
  });

  test("keeps the way of the first in a sum", () => {
    const sum = (a: string, b: string) => {
      const [left, right] = [parseQuantity(a), parseQuantity(b)];
      return left && right && printQuantity(addQuantities(left, right));
    };
    expect(sum("1Gi", "512Mi")).toBe("1536Mi");
    expect(sum("0", "512Mi")).toBe("512Mi");
    expect(sum("1", "500m")).toBe("1500m");
  });
});
