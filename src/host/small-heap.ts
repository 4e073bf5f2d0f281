import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
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

/**
 * Makes V8 prefer memory to speed from now on, for a program that keeps little: the heap grows by a third instead of
 * doubling, and its space for new objects, which V8 lets grow to 32 MiB, stops at `newSpaceBytes`.
 */
export function startWithSmallHeap(newSpaceBytes: number): void {
  setFlagsFromString("--optimize-for-size");
  // --max-semi-space-size has an effect only on the command line of Node. The growth factor is read at each growth.
  const observer = new PerformanceObserver(() => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (space === undefined || space.space_size < newSpaceBytes) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
}

let holders = 0;

/**
 * Keeps V8's space for new objects as small as it is. For work that drops nearly all objects soon, this is faster, too: the space stays in
 * the processor's cache.
 *
 * @returns a function that lets it grow again, once each caller has called its own
 */
export function holdNewSpace(): () => void {
  holders += 1;
  if (holders === 1) setFlagsFromString("--semi-space-growth-factor=1");
  return () => {
    holders -= 1;
    if (holders === 0) setFlagsFromString("--semi-space-growth-factor=2");
  };
}
