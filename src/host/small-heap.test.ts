import { getHeapSpaceStatistics } from "node:v8";
import { expect, test } from "vitest";
import { holdNewSpace } from "./small-heap.ts";

const newSpaceBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size;

/** Allocates objects that survive collections, so that V8 wants a larger space for new ones. */
function allocate(): unknown {
  const kept: object[] = [];
  for (let index = 0; index < 400_000; index += 1) kept.push({ index, text: [index] });
  return kept.length;
}

test("the space for new objects stays small until its last holder releases it", () => {
  const release = [holdNewSpace(), holdNewSpace()];
  const before = newSpaceBytes();
  release[0]?.();
  allocate();
  expect(newSpaceBytes()).toBeLessThanOrEqual(before ?? 0);
  release[1]?.();
});
