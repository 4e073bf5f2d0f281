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

/** The settings that a driver's memory is made of, in one line of Spark. */
export function driverMemoryEntries(traits: SparkLineTraits): readonly ConfEntry<unknown>[] {
  return [
    driverMemory,
    driverMemoryOverhead,
    driverMemoryOverheadFactor,
    memoryOverheadFactor,
    ...(traits.minMemoryOverhead ? [driverMinMemoryOverhead] : []),
  ];
}

/** Share of the heap that Python and R drivers get beyond it, unless told. */
const nonJvmFactor = 0.4;

/** Lower bound of the overhead where it cannot be set, MiB. */
const fixedMinimum = 384;

const largestInt = 2 ** 31 - 1;

/** What a driver's container may use. */
export interface DriverMemory {
  /** Heap and overhead, MiB. */
  readonly totalMiB: number;
  /** Handed on to the driver for its executors, even where the driver has a factor of its own. */
  readonly overheadFactor: number;
}

/** Heap plus overhead: what is set, else a share of the heap. Source: Spark BasicDriverFeatureStep. */
export function planDriverMemory(conf: SparkConf, kind: AppResource["kind"]): DriverMemory {
  const heap = conf.get(driverMemory);
  const overheadFactor =
    kind === "java" || conf.has(memoryOverheadFactor) ? conf.get(memoryOverheadFactor) : nonJvmFactor;
  const factor = conf.has(driverMemoryOverheadFactor) ? conf.get(driverMemoryOverheadFactor) : overheadFactor;
  const minimum = traitsOf(conf.version.line).minMemoryOverhead
    ? conf.get(driverMinMemoryOverhead)
    : fixedMinimum;
  // The product becomes a Java int, which ends at its largest.
  const share = Math.min(Math.trunc(factor * heap), largestInt);
  const overhead = conf.get(driverMemoryOverhead) ?? Math.max(share, minimum);
  return { totalMiB: heap + overhead, overheadFactor };
}
