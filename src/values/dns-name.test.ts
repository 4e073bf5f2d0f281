import fc from "fast-check";
import { expect, test } from "vitest";
import { isDnsSubdomain } from "./dns-name.ts";

test.each(["a", "a.b-c.1", "a".repeat(253)])("an object may be called %j", (name) => {
  expect(isDnsSubdomain(name)).toBe(true);
});

test.each(["", ".a", "a..b", "a.-b", "A.b", "a".repeat(254)])("no object may be called %j", (name) => {
  expect(isDnsSubdomain(name)).toBe(false);
});

test("accepts labels between dots as an object name", () => {
  const name = fc.array(fc.constantFrom("a", "9", "-", ".", "A", "_"), { maxLength: 12 });
  fc.assert(
    fc.property(name, (characters) => {
      const text = characters.join("");
      const isLabel = (label: string) =>
        label !== "" && !/[^-a-z0-9]/.test(label) && !label.startsWith("-") && !label.endsWith("-");
      expect(isDnsSubdomain(text)).toBe(text.split(".").every(isLabel));
    }),
    { numRuns: 500 },
  );
});
