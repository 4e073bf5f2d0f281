import { describe, expect, test } from "vitest";
import { structType } from "../schema/schema.ts";
import { applyJsonPatch, parseJsonPatch } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

describe("a JSON patch", () => {
  const apply = (document: unknown, ...patch: { op: string; path: string; value?: unknown; from?: string }[]) =>
    applyJsonPatch(document, patch);

  test("adds, replaces, removes, moves, copies and tests", () => {
    expect(
      apply(
        { a: [1, 2], b: { "c/d": 1 }, e: "x" },
        { op: "test", path: "/e", value: "x" },
        { op: "add", path: "/a/1", value: 9 },
        { op: "add", path: "/a/-", value: 3 },
        { op: "replace", path: "/b/c~1d", value: 2 },
        { op: "copy", from: "/b", path: "/f" },
        { op: "move", from: "/e", path: "/g" },
        { op: "remove", path: "/a/0" },
      ),
    ).toEqual({ a: [9, 2, 3], b: { "c/d": 2 }, f: { "c/d": 2 }, g: "x" });
  });

  test("applies to the whole document, and accepts a missing value or slash", () => {
    expect(apply({ a: 1 }, { op: "test", path: "", value: { a: 1 } })).toEqual({ a: 1 });
    expect(apply({ a: 1 }, { op: "replace", path: "", value: { b: 2 } })).toEqual({ b: 2 });
    expect(apply({}, { op: "add", path: "/a" }, { op: "add", path: "x/b", value: 1 })).toEqual({
      a: null,
      b: 1,
    });
  });

  test("changes only one of two fields that share a value", () => {
    const shared = { n: 1 };
    const document = { a: shared, b: shared };
    expect(apply(document, { op: "add", path: "/a/m", value: 2 })).toEqual({
      a: { n: 1, m: 2 },
      b: { n: 1 },
    });
  });

  test.each([
    [{ op: "remove", path: "/x" }],
    [{ op: "add", path: "/x/y", value: 1 }],
    [{ op: "add", path: "/a/5", value: 1 }],
    [{ op: "test", path: "/a/0", value: 2 }],
    [{ op: "dance", path: "/a" }],
  ])("rejects an operation that does not fit: %j", (operation) => {
    expect(() => apply({ a: [1] }, operation)).toThrow();
  });

  test("leaves the document as it was", () => {
    const document = { a: [1] };
    apply(document, { op: "add", path: "/a/-", value: 2 });
    expect(document).toEqual({ a: [1] });
  });

  test("is a list of operations", () => {
    expect(parseJsonPatch([{ op: "remove", path: "/a" }])).toHaveLength(1);
    expect(parseJsonPatch({ op: "remove", path: "/a" })).toBeUndefined();
    expect(parseJsonPatch(["remove"])).toBeUndefined();
  });
});

test("a merge patch merges objects, removes what is null and replaces the rest", () => {
  expect(applyMergePatch({ a: { b: 1, c: 2 }, d: [1, 2] }, { a: { b: null, e: 3 }, d: [3] })).toEqual({
    a: { c: 2, e: 3 },
    d: [3],
  });
  expect(applyMergePatch({ a: "text" }, { a: { b: null, c: 1 } })).toEqual({ a: { c: 1 } });
});

describe("a strategic merge patch", () => {
  const apply = (document: object, patch: Record<string, unknown>) =>
    applyStrategicMerge(document, patch, structType("core.PodSpec"));
  const two = {
    containers: [
      { name: "a", image: "x" },
      { name: "b", image: "y" },
    ],
  };

  test("merges lists by the key of their items", () => {
    expect(apply(two, { containers: [{ name: "b", image: "z" }, { name: "c" }] })).toEqual({
      containers: [{ name: "a", image: "x" }, { name: "b", image: "z" }, { name: "c" }],
    });
  });

  test("deletes items and replaces lists", () => {
    expect(apply(two, { containers: [{ name: "a", $patch: "delete" }] })).toEqual({
      containers: [{ name: "b", image: "y" }],
    });
    expect(apply(two, { containers: [{ $patch: "replace" }, { name: "c" }] })).toEqual({
      containers: [{ name: "c" }],
    });
  });

  test("orders lists by $setElementOrder", () => {
    expect(apply(two, { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }], containers: [] })).toEqual({
      containers: [
        { name: "b", image: "y" },
        { name: "a", image: "x" },
      ],
    });
  });

  test("replaces lists without keys, and removes fields that $retainKeys does not list", () => {
    expect(apply({ hostAliases: [{ ip: "1.1.1.1" }], nodeName: "n" }, { $retainKeys: ["nodeName"] })).toEqual({
      nodeName: "n",
    });
    expect(
      apply({ containers: [{ name: "a", args: ["1", "2"] }] }, { containers: [{ name: "a", args: ["3"] }] }),
    ).toEqual({ containers: [{ name: "a", args: ["3"] }] });
  });

  test.each([
    [{ containers: [{ image: "x" }] }, 'map: {"image":"x"} does not contain declared merge key: name'],
    [{ $patch: "dance" }, 'Unknown $patch type: "dance"'],
  ])("rejects an invalid patch: %j", (patch, message) => {
    expect(() => apply(two, patch)).toThrow(message);
  });
});
