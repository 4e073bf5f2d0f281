import { memoryOverheadFactor } from "../conf/entries/driver.ts";
import * as executor from "../conf/entries/executor.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type SparkLineTraits, traitsOf } from "../conf/spark-version.ts";
import type { AppResource } from "./app-resource.ts";

/** The settings that an executor's memory is made of, in one line of Spark. */
export function executorMemoryEntries(traits: SparkLineTraits): readonly ConfEntry<unknown>[] {
  return [
    executor.executorMemory,
    executor.executorMemoryOverhead,
    executor.executorMemoryOverheadFactor,
    memoryOverheadFactor,
    executor.executorPysparkMemory,
    executor.offHeapEnabled,
    executor.offHeapSize,
    ...(traits.minMemoryOverhead ? [executor.executorMinMemoryOverhead] : []),
  ];
}

/** Lower bound of the overhead where it cannot be set, MiB. */
const fixedMinimum = 384;

const bytesPerMiB = 1024 ** 2;

/** What an executor's container may use, MiB. */
export interface ExecutorMemory {
  readonly heapMiB: number;
  /** Heap, overhead, memory beyond the heap, and Python's. */
  readonly totalMiB: number;
}

/**
 * The memory of an executor in the default resource profile. The factor for Python and R comes from the driver's
 * properties, where the submission has put it.
 *
 * Source: Spark ResourceProfile.getResourcesForClusterManager.
 */
export function planExecutorMemory(conf: SparkConf, kind: AppResource["kind"]): ExecutorMemory {
  const heapMiB = conf.get(executor.executorMemory);
  const own = executor.executorMemoryOverheadFactor;
  const factor = conf.has(own) ? conf.get(own) : conf.get(memoryOverheadFactor);
  const minimum = traitsOf(conf.version.line).minMemoryOverhead
    ? conf.get(executor.executorMinMemoryOverhead)
    : fixedMinimum;
  const overhead =
    conf.get(executor.executorMemoryOverhead) ?? Math.max(Math.trunc(factor * heapMiB), minimum);
  const offHeap = conf.get(executor.offHeapEnabled)
    ? Math.trunc(conf.get(executor.offHeapSize) / bytesPerMiB)
    : 0;
  const python = kind === "python" ? (conf.get(executor.executorPysparkMemory) ?? 0) : 0;
  return { heapMiB, totalMiB: heapMiB + overhead + offHeap + python };
}
