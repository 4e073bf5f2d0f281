import {
  driverCores,
  driverMemory,
  driverMemoryOverhead,
  driverMemoryOverheadFactor,
  driverMinMemoryOverhead,
} from "../../../conf/entries/driver.ts";
import {
  executorMemory,
  executorMemoryOverhead,
  executorMemoryOverheadFactor,
  executorMinMemoryOverhead,
  executorPysparkMemory,
  offHeapEnabled,
  offHeapSize,
} from "../../../conf/entries/executor.ts";
import type { ConfEntry } from "../../../conf/entry.ts";
import type { SparkConf } from "../../../conf/spark-conf.ts";
import { traitsOf } from "../../../conf/spark-version.ts";
import { type Issue, issue } from "../../../errors/issue.ts";

/** Resources of a driver's container on YARN. */
export interface YarnDriverSize {
  readonly heapMiB: number;
  readonly overheadMiB: number;
  readonly cores: number;
}

/** Minimum overhead in MiB where no setting specifies it. */
const fixedMinimum = 384;

const bytesPerMiB = 1024 ** 2;

/** Settings that determine the memory sizes. */
export const yarnSizeEntries: readonly ConfEntry<unknown>[] = [
  ...[driverCores, driverMemory, driverMemoryOverhead, driverMemoryOverheadFactor, driverMinMemoryOverhead],
  ...[executorMemory, executorMemoryOverhead, executorMemoryOverheadFactor, executorMinMemoryOverhead],
  ...[executorPysparkMemory, offHeapEnabled, offHeapSize],
];

/** Computes heap and overhead. The default overhead is a fraction of the heap, for all languages. Source: Spark yarn.Client. */
export function planDriverSize(conf: SparkConf): YarnDriverSize {
  const heapMiB = conf.get(driverMemory);
  const share = Math.trunc(conf.get(driverMemoryOverheadFactor) * heapMiB);
  const minimum = hasMinimum(conf) ? conf.get(driverMinMemoryOverhead) : fixedMinimum;
  return {
    heapMiB,
    overheadMiB: conf.get(driverMemoryOverhead) ?? Math.max(share, minimum),
    cores: conf.get(driverCores),
  };
}

/**
 * Reports resources that exceed the cluster's maximum: the executors', then the driver's.
 *
 * Errors: SUBMIT_ERR_YARN_EXECUTOR_MEMORY, SUBMIT_ERR_YARN_DRIVER_MEMORY. Source: Spark yarn.Client.verifyClusterResources.
 */
export function sizeIssues(
  conf: SparkConf,
  { isPython, maximumMiB }: { readonly isPython: boolean; readonly maximumMiB: number },
): readonly Issue[] {
  const heapMiB = conf.get(executorMemory);
  const share = Math.trunc(conf.get(executorMemoryOverheadFactor) * heapMiB);
  const minimum = hasMinimum(conf) ? conf.get(executorMinMemoryOverhead) : fixedMinimum;
  const executor = {
    ...{ heapMiB, maximumMiB },
    overheadMiB: conf.get(executorMemoryOverhead) ?? Math.max(share, minimum),
    offHeapMiB: conf.get(offHeapEnabled) ? Math.trunc(conf.get(offHeapSize) / bytesPerMiB) : 0,
    pysparkMiB: isPython ? (conf.get(executorPysparkMemory) ?? 0) : 0,
  };
  const total = heapMiB + executor.overheadMiB + executor.offHeapMiB + executor.pysparkMiB;
  const driver = planDriverSize(conf);
  return [
    ...(total > maximumMiB ? [issue("SUBMIT_ERR_YARN_EXECUTOR_MEMORY", executor)] : []),
    ...(driver.heapMiB + driver.overheadMiB > maximumMiB
      ? [issue("SUBMIT_ERR_YARN_DRIVER_MEMORY", { ...driver, maximumMiB })]
      : []),
  ];
}

function hasMinimum(conf: SparkConf): boolean {
  return traitsOf(conf.version.line).minMemoryOverhead;
}
