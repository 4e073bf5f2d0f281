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
