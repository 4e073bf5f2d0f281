import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance } from "./edit-distance.ts";
import { nearestName } from "./nearest-name.ts";

test.each([
  ["sbmit", ["submit", "status", "kill"], "submit"],
  ["strat", ["start", "stop", "status"], "start"],
  ["defualt", ["default", "test"], "default"],
  ["jsno", ["yaml", "json"], "json"],
  ["clustr", ["client", "cluster"], "cluster"],
  ["Cluster", ["client", "cluster"], "cluster"],
  ["embeded", ["embedded"], "embedded"],
  ["production", ["default", "test"], undefined],
  ["x", ["pi", "xy"], undefined],
  ["", ["start"], undefined],
])("suggests for %j of %j: %s", (name, known, nearest) => {
  expect(nearestName(name, known)).toBe(nearest);
});

test("the distance counts an exchange of neighbors once", () => {
  expect(editDistance("strat", "start")).toBe(1);
  expect(editDistance("ca", "abc")).toBe(3);
  expect(editDistance("", "abc")).toBe(3);
  expect(editDistance("kitten", "sitting")).toBe(3);
});

test("a distance above the limit is infinite, and another is not changed by it", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 0, max: 8 }), (a, b, limit) => {
      const distance = editDistance(a, b);
      expect(editDistance(a, b, limit)).toBe(distance > limit ? Number.POSITIVE_INFINITY : distance);
    }),
    { numRuns: 500 },
  );
});
