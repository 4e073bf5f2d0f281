import fc from "fast-check";
import { expect, test } from "vitest";
import { parseInstant } from "./instant.ts";

test("parses a time of Kubernetes to the ms", () => {
  expect(parseInstant("1970-01-01T00:00:00Z")).toBe(0);
  expect(parseInstant("2026-11-20T22:10:28.448433Z")).toBe(Date.UTC(2026, 10, 20, 22, 10, 28, 448));
  expect(parseInstant("2024-02-29T23:59:59+01:30")).toBe(Date.UTC(2024, 1, 29, 22, 29, 59));
});

test("parses every time that a date prints", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date("2200-01-01"), noInvalidDate: true }), (date) => {
      expect(parseInstant(date.toISOString())).toBe(date.getTime());
    }),
  );
});

test("returns undefined for other texts", () => {
  expect(["", "yesterday", "2026-11-20", "2026-11-20 22:10:28Z", null, undefined].map(parseInstant)).toEqual(
    Array.from({ length: 6 }, () => undefined),
  );
});
