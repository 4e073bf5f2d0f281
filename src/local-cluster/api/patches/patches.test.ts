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

  test("counts negative indices from the end, and adds at -1 after the last item", () => {
    const list = (op: string, index: string) => apply({ a: [1, 2] }, { op, path: `/a/${index}`, value: 9 });
    expect([list("add", "-1"), list("add", "-3"), list("add", "+1")]).toEqual([
      { a: [1, 2, 9] },
      { a: [9, 1, 2] },
      { a: [1, 9, 2] },
    ]);
    expect([list("replace", "-1"), list("remove", "-2")]).toEqual([{ a: [1, 9] }, { a: [2] }]);
    expect(() => list("add", "-4")).toThrow("no such item");
  });

  test("treats names of JavaScript's own as fields", () => {
    const added = apply(
      { a: {} },
      ...["__proto__", "constructor"].map((name) => ({ op: "add", path: `/a/${name}`, value: "x" })),
    );
    expect(JSON.stringify(added)).toBe('{"a":{"__proto__":"x","constructor":"x"}}');
    expect(() => apply({ a: {} }, { op: "add", path: "/a/__proto__/b", value: 1 })).toThrow("missing path");
    expect(() => apply({ a: {} }, { op: "remove", path: "/a/toString" })).toThrow("nothing to remove");
    expect(() => apply({ a: {} }, { op: "test", path: "/a", value: JSON.parse('{"__proto__":{}}') })).toThrow(
      "test failed",
    );
  });

  test("is a list of operations", () => {
    expect(parseJsonPatch([{ op: "remove", path: "/a" }])).toHaveLength(1);
    expect(parseJsonPatch(null)).toEqual([]);
  });

  // Messages of Kubernetes 1.35.4.
  test.each<[unknown, string]>([
    [{ op: "remove", path: "/a" }, "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"],
    [["remove"], "json: cannot unmarshal string into Go value of type handlers.jsonPatchOp"],
    [[{ op: 1, path: "/a" }], "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string"],
    [[{ op: "add", path: [] }], "json: cannot unmarshal array into Go struct field jsonPatchOp.path of type string"],
  ])("is rejected: %j", (patch, message) => {
    expect(() => parseJsonPatch(patch)).toThrow(message);
  });

  test("copies at most 3 MiB, however often a value is doubled", () => {
    const doubling = Array.from({ length: 60 }, (_, index) => ({ op: "copy", from: "/a", path: `/a/${index}` }));
    expect(() => apply({ a: { text: "x".repeat(1000) } }, ...doubling)).toThrow("copies more than 3145728 bytes");
    const text = "x".repeat(1_500_000);
    const twice = ["/b", "/c"].map((path) => ({ op: "copy", from: "/a", path }));
    expect(apply({ a: text }, ...twice)).toEqual({ a: text, b: text, c: text });
    expect(() => apply({ a: text }, ...twice, { op: "copy", from: "/a", path: "/d" })).toThrow("copies more");
  });

  test("builds at most 10,000 levels", () => {
    const levels = (count: number): unknown => JSON.parse(`${'{"a":'.repeat(count)}{}${"}".repeat(count)}`);
    const nested = (count: number) =>
      apply(
        {},
        { op: "add", path: "/a", value: levels(5000) },
        { op: "test", path: "/a", value: levels(5000) },
        { op: "copy", from: "/a", path: `${"/a".repeat(count)}/b` },
      );
    expect(nested(4000)).toHaveProperty("a");
    expect(() => nested(5001)).toThrow("the result exceeds the maximum depth");
  });
});

describe("a merge patch", () => {
  test("sets fields with names of JavaScript's own", () => {
    const patch: unknown = JSON.parse('{"data":{"__proto__":"x","constructor":{"y":1}}}');
    expect(JSON.stringify(applyMergePatch({ data: { a: "1" } }, patch))).toBe(
      '{"data":{"a":"1","__proto__":"x","constructor":{"y":1}}}',
    );
    expect(applyMergePatch({ data: {} }, JSON.parse('{"data":{"__proto__":null}}'))).toEqual({ data: {} });
  });

  test("may be nested in 10,000 levels", () => {
    const patch: unknown = JSON.parse(`${'{"a":'.repeat(10_000)}null${"}".repeat(10_000)}`);
    let merged = applyMergePatch({}, patch);
    for (let level = 1; level < 10_000; level += 1) merged = Object(merged).a;
    expect(merged).toEqual({});
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

  test("may be nested in 10,000 levels", () => {
    const deep = `${'{"a":'.repeat(9_999)}null${"}".repeat(9_999)}`;
    expect(apply({}, JSON.parse(`{"x":${deep}}`))).toHaveProperty("x.a.a.a");
    expect(() => apply(two, JSON.parse(`{"containers":[{"name":${deep}}]}`))).toThrow("do not match");
    expect(() => apply(two, JSON.parse(`{"containers":[{"image":${deep}}]}`))).toThrow("merge key");
    expect(() => apply(two, JSON.parse(`{"$patch":${deep}}`))).toThrow("Unknown $patch type");
  });

  test("sets fields with names of JavaScript's own", () => {
    const patch = JSON.parse('{"__proto__":{"a":1},"nodeSelector":{"__proto__":"x","constructor":"y"}}');
    expect(JSON.stringify(apply({ nodeSelector: {} }, patch))).toBe(
      '{"nodeSelector":{"__proto__":"x","constructor":"y"},"__proto__":{"a":1}}',
    );
  });

  test.each([
    [{ containers: [{ image: "x" }] }, "an item does not contain the declared merge key: name"],
    [{ containers: [{ name: { x: 1 } }] }, "list element types do not match"],
    [{ containers: ["a"] }, "list element types do not match"],
    [{ $retainKeys: "nodeName" }, "invalid patch format of retainKeys"],
    [{ $patch: "dance" }, "Unknown $patch type: dance"],
    [{ $patch: { x: 1 } }, "Unknown $patch type: object"],
  ])("rejects an invalid patch: %j", (patch, message) => {
    expect(() => apply(two, patch)).toThrow(message);
  });
});

test.each([
  ["merge", (document: unknown, patch: object) => applyMergePatch(document, patch)],
  [
    "strategic merge",
    (document: unknown, patch: object) => applyStrategicMerge(document, { ...patch }, structType("core.Pod")),
  ],
])("a %s patch sets a label called __proto__ like any other", (_name, apply) => {
  const patch = JSON.parse('{"metadata":{"labels":{"__proto__":"x"},"__proto__":{"uid":"u"}}}');
  const patched = apply({ metadata: { labels: { a: "b" } } }, patch);
  expect(JSON.stringify(patched)).toBe('{"metadata":{"labels":{"a":"b","__proto__":"x"},"__proto__":{"uid":"u"}}}');
});
