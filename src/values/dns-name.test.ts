import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isDnsLabel,
  isDnsSubdomain,
  isLabelValue,
  isQualifiedName,
  toAppNameLabel,
  toResourceNamePrefix,
} from "./dns-name.ts";

test.each([
  ["Spark Pi", "spark-pi-0a"],
  ["1st job", "xst-job-0a"],
  ["--a--", "a-0a"],
  ["Ünicode App", "nicode-app-0a"],
  ["+++", "xa"],
  ["-1a", "xa-0a"],
  ["x".repeat(300), `${"x".repeat(300)}-0a`],
])("names of an application %j begin with %j", (appName, prefix) => {
  expect(toResourceNamePrefix(appName, "0a")).toBe(prefix);
});

test.each([
  [" Job+Spark-Pi 2021", "job-spark-pi-2021"],
  ["-hello-", "hello"],
  [`${"a".repeat(62)}-aaa`, "a".repeat(62)],
  [`-${"a".repeat(63)}`, "a".repeat(62)],
  ["İstanbul", "i-stanbul"],
  ["+++", ""],
])("the label of an application %j is %j", (appName, label) => {
  expect(toAppNameLabel(appName)).toBe(label);
});

test("whatever the application is called, Kubernetes takes its label", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (name) =>
      isLabelValue(toAppNameLabel(name)),
    ),
  );
});

test("a prefix never begins with a dash or a digit", () => {
  fc.assert(
    fc.property(fc.string(), (name) =>
      /^[a-z][a-z0-9-]*$/.test(toResourceNamePrefix(name, "3f09c2a1d4e5b6f0")),
    ),
  );
});

describe("what Kubernetes takes", () => {
  test.each([
    [isDnsLabel, ["a", "a-1", "1a", "a".repeat(63)], ["", "-a", "a-", "A", "a.b", "a".repeat(64)]],
    [isDnsSubdomain, ["a", "a.b-c.1"], ["", ".a", "a..b", "a.-b", "A.b", "a".repeat(254)]],
    [isLabelValue, ["", "A_b.c-1"], ["-a", "a.", "a b", "a".repeat(64)]],
    [isQualifiedName, ["a", "example.org/A_b"], ["", "/a", "a/", "a/b/c", "Example.org/a"]],
  ])("%o", (isTaken, taken, refused) => {
    expect(taken.filter((text) => !isTaken(text))).toEqual([]);
    expect(refused.filter(isTaken)).toEqual([]);
  });
});
