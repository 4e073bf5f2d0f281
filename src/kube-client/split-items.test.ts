import fc from "fast-check";
import { expect, test } from "vitest";
import { type ReadMembers, splitItems } from "./split-items.ts";

/** Splits a list that arrives in chunks of a size. */
function split(json: string, size: number, members?: ReadMembers) {
  const items: string[] = [];
  const splitter = splitItems({ onItem: (item) => items.push(item), members });
  const bytes = Buffer.from(json);
  for (let at = 0; at < bytes.length; at += size) splitter.add(bytes.subarray(at, at + size));
  return { items, head: splitter.head(), rest: splitter.end() };
}

/** Joins the parts of a list again; `undefined` if it was not split. */
function joined(json: string, size: number, members?: ReadMembers): unknown {
  const { items, head, rest } = split(json, size, members);
  if (head === undefined) return undefined;
  const list: { items: unknown[] } = JSON.parse(rest);
  expect(list.items).toEqual(items.map(() => 0));
  return { ...list, items: items.map((text) => JSON.parse(text)) };
}

const managedFields = [{ manager: "a", fieldsV1: { 'f:k[{"}': { 'k:{"x":"]"}': {} } } }];

test("a list and its items are the same together, without managed fields, in chunks of any size", () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
      fc.base64String(),
      fc.integer({ min: 1, max: 200 }),
      (objects, token, size) => {
        const items = objects.map((object, index) => ({ metadata: { name: String(index), managedFields }, object }));
        const list = { kind: "PodList", metadata: { continue: token }, items };
        const expected = items.map((item) => ({ ...item, metadata: { ...item.metadata, managedFields: [] } }));
        expect(joined(JSON.stringify(list), size)).toEqual(JSON.parse(JSON.stringify({ ...list, items: expected })));
      },
    ),
  );
});

test("members that are not read are empty", () => {
  const spec = {
    volumes: [{ name: "v" }],
    containers: [{ name: "c", volumes: ["]"] }],
    affinity: { a: {} },
    hostIPC: true,
  };
  const items = [{ metadata: { labels: { a: "b" } }, spec, status: { spec: { containers: {} } } }];
  const json = JSON.stringify({ items, metadata: {} });
  const read = { volumes: [], containers: spec.containers, affinity: {}, hostIPC: true };
  for (const size of [1, 7, 1000])
    expect(joined(json, size, { spec: ["containers"] })).toEqual({
      items: [{ ...items[0], spec: read }],
      metadata: {},
    });
});

test("an item that is longer than the initial buffer is kept", () => {
  const items = [
    { a: "x".repeat(100_000) },
    { b: ["\\".repeat(200_000), { managedFields }] },
    { c: "é".repeat(70_000) },
  ];
  expect(joined(JSON.stringify({ items }), 16_384)).toEqual({ items });
});

test("text in strings and between items is kept", () => {
  const items = [{ a: '"items":[{', b: '\\"managedFields":[', c: "é\u2028" }, { d: {} }];
  const json = JSON.stringify({ items, metadata: {} }, undefined, 2).replace('"items": [', '"items":[');
  for (const size of [1, 2, 3, 1000]) expect(joined(json, size)).toEqual({ items, metadata: {} });
  expect(split('{"items":[{}{}]}', 100).rest).toBe('{"items":[00]}');
  expect(split('{"items":[{},["c"]]}', 100).rest).toBe('{"items":[0,["c"]]}');
});

test("other texts are not split, and those that are cut off are not JSON", () => {
  for (const text of ["", "[]", '{"metadata":{}}', '{"kind":["items"],"items":[{}]}'])
    expect(split(text, 5)).toEqual({ items: [], head: undefined, rest: text });
  for (const text of ['{"items":[{"a":1', '{"items":[{"a":"', '{"items":[{"a":"\\', '{"items":[{}'])
    expect(() => JSON.parse(split(text, 5).rest)).toThrow("JSON");
});
