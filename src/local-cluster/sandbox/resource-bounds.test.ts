import { expect, test } from "vitest";
import { boundsOf } from "./resource-bounds.ts";

test.each([
  [{}, { memoryBytes: undefined, cpuLimitMillis: undefined, cpuRequestMillis: 0 }],
  [
    { limits: { memory: "1Gi", cpu: "1500m" } },
    { memoryBytes: 1073741824, cpuLimitMillis: 1500, cpuRequestMillis: 1500 },
  ],
  [
    { limits: { memory: "0" }, requests: { cpu: "2", memory: "1Gi" } },
    { memoryBytes: undefined, cpuLimitMillis: undefined, cpuRequestMillis: 2000 },
  ],
])("computes the bounds of %j", (resources, bounds) => {
  expect(boundsOf({ resources })).toEqual(bounds);
});
