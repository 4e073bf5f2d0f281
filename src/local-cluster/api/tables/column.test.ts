import { expect, test } from "vitest";
import { age, duration, labelText } from "./column.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  [0, "0s"],
  [119_000, "119s"],
  [2 * minute, "2m"],
  [5 * minute + 3_000, "5m3s"],
  [10 * minute + 3_000, "10m"],
  [3 * hour, "3h"],
  [3 * hour + 5 * minute, "3h5m"],
  [9 * hour + 5 * minute, "9h"],
  [2 * day + 3 * hour, "2d3h"],
  [30 * day + hour, "30d"],
  [800 * day, "2y70d"],
  [-5_000, "<invalid>"],
])("prints %i ms as %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test("prints an unknown age without a time", () => {
  expect(age(undefined, 0)).toBe("<unknown>");
  expect(age("1970-01-01T00:00:00Z", 90_000)).toBe("90s");
});

test("prints labels sorted", () => {
  expect(labelText({ b: "2", a: "1" })).toBe("a=1,b=2");
  expect(labelText({})).toBe("<none>");
});
