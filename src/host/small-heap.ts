import { getHeapStatistics, setFlagsFromString } from "node:v8";
import type { Clock } from "./host.ts";

const checkIntervalMs = 2_000;

/**
 * Keeps a program that runs for long from taking twice the memory that it needs, as V8 does for speed: from a size on, its heap
 * may grow by a third only before it is cleaned. Below that, nothing changes.
 *
 * @returns how to stop looking
 */
export function keepHeapSmall(clock: Pick<Clock, "after">, fromBytes: number): () => void {
  let cancel = clock.after(checkIntervalMs, look);
  function look(): void {
    if (getHeapStatistics().total_heap_size > fromBytes) setFlagsFromString("--optimize-for-size");
    else cancel = clock.after(checkIntervalMs, look);
  }
  return () => cancel();
}
