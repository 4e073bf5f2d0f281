import { getHeapStatistics, setFlagsFromString } from "node:v8";
import type { Clock } from "./host.ts";

const checkIntervalMs = 2_000;

/**
 * Makes V8 prefer memory to speed once the heap of a long-running program exceeds `fromBytes`: the heap then grows by a
 * third, instead of doubling, between collections.
 *
 * @returns a function that stops the checks
 */
export function keepHeapSmall(clock: Pick<Clock, "after">, fromBytes: number): () => void {
  let cancel = clock.after(checkIntervalMs, check);
  function check(): void {
    if (getHeapStatistics().total_heap_size > fromBytes) setFlagsFromString("--optimize-for-size");
    else cancel = clock.after(checkIntervalMs, check);
  }
  return () => cancel();
}
