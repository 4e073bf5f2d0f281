/** @module-tag long */

import { describe, expect, test } from "vitest";
import { structType } from "../schema/schema.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

describe("a JSON patch", () => {
  test("moves and compares a limited number of items and fields", () => {
    const items = Array.from({ length: 100_000 }, () => 0);
    const insert = Array.from({ length: 10_000 }, () => ({ op: "add", path: "/a/0", value: 1 }));
    expect(() => applyJsonPatch({ a: items }, insert)).toThrow("takes more than 200000000 steps");
    const fields = Object.fromEntries(items.map((_, index) => [`k${index}`, ""]));
    const tests = Array.from({ length: 10_000 }, () => ({ op: "test", path: "/a", value: fields }));
    expect(() => applyJsonPatch({ a: fields }, tests)).toThrow("takes more than 200000000 steps");
  });
});

describe("a strategic merge patch", () => {
  test("merges, orders and deletes 100,000 items", () => {
    const containers = Array.from({ length: 100_000 }, (_, index) => ({ name: `c${index}` }));
    const apply = (patch: Record<string, unknown>) =>
      applyStrategicMerge({ containers }, patch, structType("core.PodSpec"));
    const reversed = containers.toReversed();
    expect(apply({ containers: reversed })).toEqual({ containers: reversed });
    expect(apply({ "$setElementOrder/containers": reversed })).toEqual({ containers: reversed });
    expect(apply({ containers: reversed.map((item) => ({ ...item, $patch: "delete" })) })).toEqual({
      containers: [],
    });
    const finalizers = containers.map(({ name }) => name);
    const merge = (patch: Record<string, unknown>) =>
      applyStrategicMerge({ finalizers }, patch, structType("meta.ObjectMeta"));
    expect(merge({ "$setElementOrder/finalizers": finalizers.toReversed() })).toEqual({
      finalizers: finalizers.toReversed(),
    });
    expect(merge({ "$deleteFromPrimitiveList/finalizers": finalizers })).toEqual({ finalizers: [] });
    expect(merge({ $retainKeys: finalizers })).toEqual({});
  });
});
