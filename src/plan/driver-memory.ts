import {
  driverMemory,
  driverMemoryOverhead,
  driverMemoryOverheadFactor,
  driverMinMemoryOverhead,
  memoryOverheadFactor,
} from "../conf/entries/driver.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type SparkLineTraits, traitsOf } from "../conf/spark-version.ts";
import type { AppResource } from "./app-resource.ts";

/** Settings that determine a driver's memory in one line of Spark. */
export function driverMemoryEntries(traits: SparkLineTraits): readonly ConfEntry<unknown>[] {
  return [
    driverMemory,
    driverMemoryOverhead,
    driverMemoryOverheadFactor,
    memoryOverheadFactor,
    ...(traits.minMemoryOverhead ? [driverMinMemoryOverhead] : []),
  ];
}

/** Default overhead of Python and R drivers, as a share of the heap. */
const nonJvmFactor = 0.4;

/** Minimum overhead in the lines of Spark that have no setting for it, in MiB. */
const fixedMinimum = 384;

const maxInt = 2 ** 31 - 1;

/** Memory of a driver's container. */
export interface DriverMemory {
  /** Heap and overhead, in MiB. */
  readonly memoryMiB: number;
  /** Factor that the driver applies to its executors, even when the driver has its own factor. */
  readonly overheadFactor: number;
}

/**
 * Computes heap plus overhead: the configured overhead, else a share of the heap. Invalid settings count as absent.
 *
 * Source: Spark BasicDriverFeatureStep.
 */
export function planDriverMemory(conf: SparkConf, kind: AppResource["kind"]): DriverMemory {
  const heap = conf.readOrAbsent(driverMemory);
  const overheadFactor =
    kind === "java" || conf.has(memoryOverheadFactor) ? conf.readOrAbsent(memoryOverheadFactor) : nonJvmFactor;
  const factor = conf.has(driverMemoryOverheadFactor) ? conf.readOrAbsent(driverMemoryOverheadFactor) : overheadFactor;
  const minimum = traitsOf(conf.version.line).minMemoryOverhead
    ? conf.readOrAbsent(driverMinMemoryOverhead)
    : fixedMinimum;
  // Spark converts the product to a Java int, which saturates at the largest int.
  const share = Math.min(Math.trunc(factor * heap), maxInt);
  const overhead = conf.readOrAbsent(driverMemoryOverhead) ?? Math.max(share, minimum);
  return { memoryMiB: heap + overhead, overheadFactor };
}
