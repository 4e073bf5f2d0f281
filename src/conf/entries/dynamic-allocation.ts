import { entry, fallbackEntry } from "../entry.ts";
import { boolean, integer } from "../kinds.ts";

export const dynamicAllocationEnabled = entry(boolean, {
  key: "spark.dynamicAllocation.enabled",
  doc: "Whether the number of executors follows the load.",
  since: "1.2.0",
  default: "false",
});

export const dynamicAllocationMinExecutors = entry(integer, {
  key: "spark.dynamicAllocation.minExecutors",
  doc: "Minimum number of executors.",
  since: "1.2.0",
  default: "0",
});

export const dynamicAllocationInitialExecutors = fallbackEntry(dynamicAllocationMinExecutors, {
  key: "spark.dynamicAllocation.initialExecutors",
  doc: "Number of executors at the start.",
  since: "1.3.0",
});

export const dynamicAllocationMaxExecutors = entry(integer, {
  key: "spark.dynamicAllocation.maxExecutors",
  doc: "Maximum number of executors.",
  since: "1.2.0",
  default: "2147483647",
});
