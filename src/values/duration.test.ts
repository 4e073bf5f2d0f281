import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDuration, printDuration } from "./duration.ts";

test.each([
  ["5", 5000],
  ["100ms", 100],
  [" 2MIN ", 120_000],
  ["2m", 120_000],
  ["1h", 3_600_000],
  ["1d", 86_400_000],
])("parses %j as seconds without a suffix", (text, ms) => {
  expect(parseDuration(text, "s")).toEqual({ ok: true, value: Math.trunc(ms / 1000) });
});

test("truncates fractions of the unit toward zero", () => {
  expect(parseDuration("1999us", "ms")).toEqual({ ok: true, value: 1 });
  expect(parseDuration("-1999us", "ms")).toEqual({ ok: true, value: -1 });
});

test.each([
  ["5x", 'Invalid suffix: "x"'],
  ["soon", "Failed to parse time string: soon"],
  ["1.5s", "Failed to parse time string: 1.5s"],
  ["5 s", "Failed to parse time string: 5 s"],
  ["", "Failed to parse time string: "],
  ["99999999999999999999", 'For input string: "99999999999999999999"'],
])("rejects %j with Spark's message", (text, reason) => {
  expect(parseDuration(text, "ms")).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/^Time must be specified as seconds .* or 250us\.\n/),
  });
  const parsed = parseDuration(text, "ms");
  expect(parsed.ok ? "" : parsed.reason.split("\n")[1]).toBe(reason);
});

test("saturates a duration of more than 64 bits", () => {
  expect(parseDuration("9223372036854775807d", "ms")).toEqual({ ok: true, value: 2 ** 63 });
});

test("parses printed durations", () => {
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom("ms" as const, "s" as const), (value, unit) => {
      expect(parseDuration(printDuration(value, unit), unit)).toEqual({ ok: true, value });
    }),
  );
});

test("parses any text to an integer or rejects it with a message", () => {
  const numbers = fc.oneof(fc.integer().map(String), fc.constantFrom("", "--1", "1.5", "-99999999999999999999"));
  const suffixes = fc.oneof(fc.string(), fc.constantFrom("constructor", "valueOf", "MIN", " s", "us"));
  const units = fc.constantFrom("us" as const, "ms" as const, "s" as const, "d" as const);
  fc.assert(
    fc.property(numbers, suffixes, units, (number, suffix, unit) => {
      const time = parseDuration(`${number}${suffix}`, unit);
      if (time.ok) expect(Number.isInteger(time.value)).toBe(true);
      else expect(time.reason).not.toBe("");
    }),
    { numRuns: 500 },
  );
});

test("parses a longer duration to a number that is not smaller", () => {
  const sorted = fc.tuple(fc.nat(), fc.nat()).map(([a, b]) => (a < b ? [a, b] : [b, a]));
  const suffix = fc.constantFrom("us", "ms", "s", "m", "min", "h", "d", "");
  fc.assert(
    fc.property(sorted, suffix, ([less, more], unit) => {
      const [a, b] = [parseDuration(`${less}${unit}`, "ms"), parseDuration(`${more}${unit}`, "ms")];
      expect(a.ok && b.ok && a.value <= b.value).toBe(true);
    }),
  );
});
