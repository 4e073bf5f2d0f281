import { dynamicAllocationEnabled, dynamicAllocationMinExecutors } from "../conf/entries/dynamic-allocation.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { parseQuantity, quantityNumber } from "../values/quantity.ts";
import type { DriverConf } from "./driver-conf.ts";
import { initialExecutors } from "./executor-count.ts";
import { planExecutorResources } from "./executor-resources.ts";
import { unrecorded } from "./plan-part.ts";

/** Compute resources that pods request. */
export interface Demand {
  /** Processors; can have a fraction. */
  readonly cores: number;
  readonly memoryMiB: number;
}

/** Returns the least with which an application makes progress: its driver, and the executors that it cannot do without. */
export function minimumDemand({ conf, resources, appResource }: DriverConf): Demand {
  const executor = planExecutorResources(unrecorded({ conf, kind: appResource.kind })).resources;
  const count = minimumExecutors(conf);
  return {
    cores: coresOf(resources.cpuRequest) + count * coresOf(executor.cpuRequest),
    memoryMiB: resources.memoryMiB + count * executor.memoryMiB,
  };
}

/** Returns the number of executors that an application cannot do without: all with static allocation. */
export function minimumExecutors(conf: SparkConf): number {
  return conf.readOrAbsent(dynamicAllocationEnabled)
    ? Math.max(1, conf.readOrAbsent(dynamicAllocationMinExecutors))
    : initialExecutors(conf);
}

function coresOf(request: string): number {
  const quantity = parseQuantity(request);
  return quantity === undefined ? 0 : quantityNumber(quantity);
}
