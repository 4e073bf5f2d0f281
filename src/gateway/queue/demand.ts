import { dynamicAllocationEnabled, dynamicAllocationMinExecutors } from "../../conf/entries/dynamic-allocation.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import { initialExecutors } from "../../plan/executor-count.ts";
import { planExecutorResources } from "../../plan/executor-resources.ts";
import { unrecorded } from "../../plan/plan-part.ts";
import { parseQuantity, quantityUnits } from "../../values/quantity.ts";

/** Compute resources that pods request. */
export interface Demand {
  /** Processors; can have a fraction. */
  readonly cores: number;
  readonly memoryMiB: number;
}

export const noDemand: Demand = { cores: 0, memoryMiB: 0 };

/** Returns the least with which an application makes progress: its driver, and the executors that it cannot do without. */
export function demandOf({ conf, resources, appResource }: DriverConf): Demand {
  const executor = planExecutorResources(unrecorded({ conf, kind: appResource.kind })).resources;
  const count = conf.readOrAbsent(dynamicAllocationEnabled)
    ? Math.max(1, conf.readOrAbsent(dynamicAllocationMinExecutors))
    : initialExecutors(conf);
  return {
    cores: coresOf(resources.cpuRequest) + count * coresOf(executor.cpuRequest),
    memoryMiB: resources.memoryMiB + count * executor.memoryMiB,
  };
}

function coresOf(request: string): number {
  const quantity = parseQuantity(request);
  return quantity === undefined ? 0 : quantityUnits(quantity);
}

export function addDemand(a: Demand, b: Demand): Demand {
  return { cores: a.cores + b.cores, memoryMiB: a.memoryMiB + b.memoryMiB };
}

export function subtractDemand(a: Demand, b: Demand): Demand {
  return { cores: a.cores - b.cores, memoryMiB: a.memoryMiB - b.memoryMiB };
}
