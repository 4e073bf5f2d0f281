import fc from "fast-check";
import { expect, test } from "vitest";
import { exceedsDepth, isSame, unshared, wellFormed } from "./json.ts";

const deep = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

test("equal values are the same, whatever the order of their fields", { tags: "long" }, () => {
  expect(isSame({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1, d: undefined })).toBe(true);
  expect([isSame([1], [1, 2]), isSame({}, []), isSame(null, {}), isSame({ a: 1 }, {})]).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(isSame(deep(50_000), deep(50_000))).toBe(true);
});

test("a field named like one that every object inherits is a difference", () => {
  for (const name of ["__proto__", "constructor", "toString"]) {
    const named: unknown = JSON.parse(`{"${name}":"x"}`);
    expect([isSame({}, named), isSame(named, {}), isSame(named, structuredClone(named))]).toEqual([false, false, true]);
  }
});

test("copies are equal and share nothing", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = unshared(value);
      expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
      if (typeof value === "object" && value !== null) expect(copy).not.toBe(value);
    }),
  );
  const shared = { a: 1 };
  const copy = unshared([shared, shared]);
  expect(Array.isArray(copy) && copy[0] !== copy[1] && copy[0] !== shared).toBe(true);
  expect(JSON.stringify(unshared(JSON.parse('{"__proto__":{"a":[]}}')))).toBe('{"__proto__":{"a":[]}}');
});

test("levels are counted without limit", () => {
  expect([exceedsDepth(1, 0), exceedsDepth([], 0), exceedsDepth({ a: [] }, 1)]).toEqual([false, true, true]);
  expect([exceedsDepth(deep(100_000), 99_999), exceedsDepth(deep(100_000), 100_000)]).toEqual([true, false]);
});

test("halves of characters are replaced", () => {
  expect(wellFormed("a\ud800b\udc00😀")).toBe("a\ufffdb\ufffd😀");
});
