import { memoryOverheadFactor } from "../conf/entries/driver.ts";
import * as executor from "../conf/entries/executor.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type SparkLineTraits, traitsOf } from "../conf/spark-version.ts";
import type { AppResource } from "./app-resource.ts";

/** Settings that determine an executor's memory in one line of Spark. */
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

/** Minimum overhead in the lines of Spark that have no setting for it, in MiB. */
const fixedMinimum = 384;

const bytesPerMiB = 1024 ** 2;

/** Memory of an executor's container, in MiB. */
export interface ExecutorMemory {
  readonly heapMiB: number;
  /** Heap, overhead, off-heap memory and Python's memory. */
  readonly memoryMiB: number;
}

/**
 * Computes the memory of an executor in the default resource profile. Invalid settings count as absent. The overhead
 * factor of Python and R comes from the driver's properties, where the submission stored it.
 *
 * Source: Spark ResourceProfile.getResourcesForClusterManager.
 */
export function planExecutorMemory(conf: SparkConf, kind: AppResource["kind"]): ExecutorMemory {
  const heapMiB = conf.readOrAbsent(executor.executorMemory);
  const own = executor.executorMemoryOverheadFactor;
  const factor = conf.readOrAbsent(conf.has(own) ? own : memoryOverheadFactor);
  const minimum = traitsOf(conf.version.line).minMemoryOverhead
    ? conf.readOrAbsent(executor.executorMinMemoryOverhead)
    : fixedMinimum;
  const overhead =
    conf.readOrAbsent(executor.executorMemoryOverhead) ?? Math.max(Math.trunc(factor * heapMiB), minimum);
  const offHeap = conf.readOrAbsent(executor.offHeapEnabled)
    ? Math.trunc(conf.readOrAbsent(executor.offHeapSize) / bytesPerMiB)
    : 0;
  const python = kind === "python" ? (conf.readOrAbsent(executor.executorPysparkMemory) ?? 0) : 0;
  return { heapMiB, memoryMiB: heapMiB + overhead + offHeap + python };
}
