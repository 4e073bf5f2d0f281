import fc from "fast-check";
import { expect, test } from "vitest";
import { splitItems } from "./split-items.ts";

/** Joins the parts of a list again; `undefined` if it was not split. */
function joined(json: string): unknown {
  const split = splitItems(Buffer.from(json));
  if (split === undefined) return undefined;
  const rest: object = JSON.parse(split.rest);
  return { ...rest, items: [...split.items()].map((text) => JSON.parse(text)) };
}

const managedFields = [{ manager: "a", fieldsV1: { 'f:k[{"}': { 'k:{"x":"]"}': {} } } }];

test("a list and its items are the same together, without managed fields", () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), fc.base64String(), (objects, token) => {
      const items = objects.map((object, index) => ({ metadata: { name: String(index), managedFields }, object }));
      const list = { kind: "PodList", metadata: { continue: token }, items };
      const expected = items.map((item) => ({ ...item, metadata: { ...item.metadata, managedFields: [] } }));
      expect(joined(JSON.stringify(list))).toEqual(JSON.parse(JSON.stringify({ ...list, items: expected })));
    }),
  );
});

test("text in strings and between items is kept", () => {
  const items = [{ a: '"items":[{', b: '\\"managedFields":[', c: "é\u2028" }, { d: {} }];
  expect(joined(JSON.stringify({ items, metadata: {} }, undefined, 2).replace('"items": [', '"items":['))).toEqual({
    items,
    metadata: {},
  });
  const missingComma = splitItems(Buffer.from('{"items":[{}{}]}'));
  expect(missingComma?.rest).toBe('{"items":[00]}');
});

test("other texts are not split", () => {
  const texts = [
    "",
    "[]",
    '{"metadata":{}}',
    '{"items":[{"a":1',
    '{"items":[{"a":"',
    '{"kind":["items"],"items":[{}]}',
  ];
  expect(texts.map(joined)).toEqual(texts.map(() => undefined));
});
