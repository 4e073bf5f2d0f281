import { setImmediate } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";
import { startWithSmallHeap } from "../../src/host/small-heap.ts";

/** Allocates objects of which many survive a collection, and prints the size of the space for new objects in MiB. */
const [limit] = process.argv.slice(2);
if (limit !== undefined) startWithSmallHeap(Number(limit) * 1024 * 1024);
const kept: unknown[] = [];
for (let round = 0; round < 100; round += 1) {
  for (let index = 0; index < 20_000; index += 1) kept[index] = { round, list: [index] };
  await setImmediate();
}
const newSpace = getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
process.stdout.write(String((newSpace?.space_size ?? 0) / 1024 / 1024));
