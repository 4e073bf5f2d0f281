import type { Demand } from "../../plan/minimum-demand.ts";

export const noDemand: Demand = { cores: 0, memoryMiB: 0 };

export function addDemand(a: Demand, b: Demand): Demand {
  return { cores: a.cores + b.cores, memoryMiB: a.memoryMiB + b.memoryMiB };
}

export function subtractDemand(a: Demand, b: Demand): Demand {
  return { cores: a.cores - b.cores, memoryMiB: a.memoryMiB - b.memoryMiB };
}
