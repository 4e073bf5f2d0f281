import { describe, expect, test } from "vitest";
import { compareVersions, isDynamic, isInSet, newestIn } from "./ivy-version.ts";

test.each([
  ["1.2", "1.10"],
  ["1.0-SNAPSHOT", "1.0"],
  ["33.0.0-jre", "33.0.0"],
  ["1.0-dev3", "1.0-alpha1"],
  ["1.0-beta", "1.0-rc1"],
  ["1.0-rc1", "1.0-final"],
  ["1.0a", "1.0b"],
  ["1.0", "1.0.1"],
  ["1.99999999999999999998", "1.99999999999999999999"],
])("%s is older than %s", (older, newer) => {
  expect(compareVersions(older, newer)).toBeLessThan(0);
  expect(compareVersions(newer, older)).toBeGreaterThan(0);
});

test("a version is as new as itself", () => {
  expect(compareVersions("1.0-rc1", "1.0-rc1")).toBe(0);
});

describe("a range", () => {
  const versions = ["1.0", "1.5", "2.0", "2.1-SNAPSHOT"];
  test.each([
    ["[1.0,2.0)", "1.5"],
    ["[1.0,2.0]", "2.0"],
    ["]1.0,1.5]", "1.5"],
    ["(,1.5)", "1.0"],
    ["[1.0,)", "2.1-SNAPSHOT"],
    ["1.+", "1.5"],
    ["latest.release", "2.0"],
    ["latest.integration", "2.1-SNAPSHOT"],
    ["[3,4]", undefined],
  ])("%s has %s as its newest", (range, newest) => {
    expect(isDynamic(range)).toBe(true);
    expect(newestIn(range, versions)).toBe(newest);
  });

  test("is not a single version", () => {
    expect(["1.0", "[1.0]", "(,)"].filter(isDynamic)).toEqual([]);
  });
});

test("parses a range of many spaces in linear time", () => {
  const spaces = " ".repeat(200_000);
  expect(isDynamic(`[${spaces}`)).toBe(false);
  expect(isDynamic(`[${spaces},${spaces}]`)).toBe(false);
  expect(isInSet(`[${spaces}1${spaces},${spaces}2${spaces})`, "1.5")).toBe(true);
});
