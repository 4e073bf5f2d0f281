import {
  dynamicAllocationEnabled,
  dynamicAllocationInitialExecutors,
  dynamicAllocationMaxExecutors,
  dynamicAllocationMinExecutors,
} from "../conf/entries/dynamic-allocation.ts";
import { executorInstances } from "../conf/entries/executor.ts";
import type { SparkConf } from "../conf/spark-conf.ts";

/** Spark's number of executors if no setting says it. Source: SchedulerBackendUtils.DEFAULT_NUMBER_EXECUTORS. */
const defaultExecutors = 2;

/**
 * Returns the number of executors that the driver requests at its start. Another check reports invalid numbers.
 *
 * Source: Spark SchedulerBackendUtils.getInitialTargetExecutorNumber.
 */
export function initialExecutors(conf: SparkConf): number {
  const instances = conf.readOrAbsent(executorInstances);
  if (!conf.readOrAbsent(dynamicAllocationEnabled)) return instances ?? defaultExecutors;
  return Math.max(
    instances ?? 0,
    conf.readOrAbsent(dynamicAllocationMinExecutors),
    conf.readOrAbsent(dynamicAllocationInitialExecutors),
  );
}

/** Returns whether dynamic allocation changes the number of executors, and whether the user has set its maximum. */
export function executorGrowth(conf: SparkConf): "none" | "limited" | "unlimited" {
  if (!conf.readOrAbsent(dynamicAllocationEnabled)) return "none";
  return conf.has(dynamicAllocationMaxExecutors) ? "limited" : "unlimited";
}
