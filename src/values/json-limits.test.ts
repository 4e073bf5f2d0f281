/** @module-tag long */

import fc from "fast-check";
import { expect, test } from "vitest";
import { exceededJsonLimit, type JsonLimits } from "./json-limits.ts";

const wide: JsonLimits = { maxDepth: 1000, maxValues: 1000, maxNameBytes: 1000 };
const exceeded = (text: string, limits: Partial<JsonLimits>) =>
  exceededJsonLimit(Buffer.from(text), { ...wide, ...limits });

test("accepts texts at the limits and names the first limit that is exceeded", () => {
  expect(exceeded("[[{}]]", { maxDepth: 3 })).toBeUndefined();
  expect(exceeded("[[[{}]]]", { maxDepth: 3 })).toBe("maxDepth");
  expect(exceeded("[[],[],[]]", { maxDepth: 2 })).toBeUndefined();
  expect(exceeded("[1,2,3]", { maxValues: 3 })).toBeUndefined();
  expect(exceeded("[1,2,3,4]", { maxValues: 3 })).toBe("maxValues");
  expect(exceeded('{"é":1}', { maxNameBytes: 2 })).toBeUndefined();
  expect(exceeded('{"éa" : 1}', { maxNameBytes: 2 })).toBe("maxNameBytes");
});

test("ignores the contents of strings", () => {
  const text = JSON.stringify(['[[[[,,,,{":"\\', '\\"[,', '"', "\\"]);
  expect(exceeded(text, { maxDepth: 1, maxValues: 4, maxNameBytes: 0 })).toBeUndefined();
  expect(exceeded('["[[[[', { maxDepth: 1 })).toBeUndefined();
});

/** Counts depth and values of a parsed value. */
function measure(value: unknown): { readonly depth: number; readonly values: number; readonly name: number } {
  if (typeof value !== "object" || value === null) return { depth: 0, values: 0, name: 0 };
  const inner = Object.values(value).map(measure);
  const names = Array.isArray(value) ? [] : Object.keys(value).map((name) => JSON.stringify(name));
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: inner.reduce((sum, { values }) => sum + values, Math.max(1, inner.length)),
    name: Math.max(0, ...names.map((name) => Buffer.byteLength(name) - 2), ...inner.map(({ name }) => name)),
  };
}

test("agrees with the parsed value of any JSON", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 2), (json, indent) => {
      const { depth, values, name } = measure(JSON.parse(json));
      const text = JSON.stringify(JSON.parse(json), undefined, indent);
      const exact = { maxDepth: depth, maxValues: values, maxNameBytes: name };
      expect(exceeded(text, exact)).toBeUndefined();
      if (depth > 0) expect(exceeded(text, { ...exact, maxDepth: depth - 1 })).toBe("maxDepth");
      if (values > 0) expect(exceeded(text, { ...exact, maxValues: values - 1 })).toBe("maxValues");
      if (name > 0) expect(exceeded(text, { ...exact, maxNameBytes: name - 1 })).toBe("maxNameBytes");
    }),
  );
});
