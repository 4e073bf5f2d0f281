import { describe, expect, test } from "vitest";
import { findKind } from "../kinds/table.ts";
import { parseFieldSelector } from "./field-selector.ts";
import { parseLabelSelector } from "./label-selector.ts";
import { selectorOf } from "./object-selector.ts";

describe("a label selector", () => {
  test.each([
    ["", {}],
    ["a", { a: "" }],
    ["!b", { a: "" }],
    ["a=b", { a: "b" }],
    ["a == b , c != d", { a: "b" }],
    ["c!=d", { c: "e" }],
    ["a in (b, c)", { a: "c" }],
    ["a notin (b)", {}],
    ["a=", { a: "" }],
    ["n>5", { n: "6" }],
    ["n<5", { n: "-1" }],
    ["x.io/y=z", { "x.io/y": "z" }],
    ["a in (,b)", { a: "" }],
  ])("%s matches %j", (text, labels) => {
    expect(parseLabelSelector(text)(labels)).toBe(true);
  });

  test.each([
    ["a", {}],
    ["a=b", { a: "c" }],
    ["a,b", { a: "" }],
    ["!a", { a: "" }],
    ["a notin (b)", { a: "b" }],
    ["n>5", { n: "5" }],
    ["n>5", { n: "many" }],
    ["toString", {}],
  ])("%s does not match %j", (text, labels) => {
    expect(parseLabelSelector(text)(labels)).toBe(false);
  });

  test.each([
    ["a=b,", "found '', expected: identifier after ','"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ])("rejects %s", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
  });
});

describe("a selector in an object", () => {
  const selector = selectorOf({
    matchLabels: { a: "b" },
    matchExpressions: [
      { key: "c", operator: "In", values: ["d", "e"] },
      { key: "f", operator: "DoesNotExist" },
    ],
  });

  test("matches when all requirements match", () => {
    expect(selector({ a: "b", c: "e" })).toBe(true);
    expect(selector({ a: "b" })).toBe(false);
    expect(selector({ a: "b", c: "d", f: "" })).toBe(false);
    expect(selectorOf({})(undefined)).toBe(true);
  });
});

describe("a field selector", () => {
  const pods = findKind("", "v1", "pods");
  if (pods === undefined) throw new Error("no pods");
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", namespace: "default" },
    spec: { nodeName: "n", restartPolicy: "Never" },
    status: { phase: "Running" },
  };

  test.each([
    ["status.phase=Running", true],
    ["status.phase!=Running", false],
    ["metadata.name=a,spec.nodeName=n", true],
    ["metadata.name=a,spec.nodeName=", false],
    ["status.podIP=", true],
    ["spec.restartPolicy==Never", true],
  ])("%s: %s", (text, expected) => {
    expect(parseFieldSelector(text, pods.rules).matches(pod)).toBe(expected);
  });

  test("returns the only name that can match", () => {
    expect(parseFieldSelector("metadata.name=a", pods.rules).name).toBe("a");
    expect(parseFieldSelector("metadata.name!=a", pods.rules).name).toBeUndefined();
  });

  test("rejects unknown escape sequences", () => {
    expect(() => parseFieldSelector("metadata.name=a\\\\b\\x", pods.rules)).toThrow(
      "invalid field selector: invalid escape sequence: \\x",
    );
  });

  test("rejects fields that the kind does not declare", () => {
    expect(() => parseFieldSelector("spec.foo=a", pods.rules)).toThrow("field label not supported: spec.foo");
  });
});
