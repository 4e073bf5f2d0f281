/** Settings of shuffle data and of dynamic allocation that only the driver reads. They are only checked, so they are not on the page of settings. */
import { entry, fallbackEntry } from "../entry.ts";
import { boolean, double, duration, text } from "../kinds.ts";

export const shuffleServiceEnabled = entry(boolean, {
  key: "spark.shuffle.service.enabled",
  doc: "Whether executors use an external shuffle service on their node.",
  since: "1.2.0",
  default: "false",
});

export const shuffleTrackingEnabled = entry(boolean, {
  key: "spark.dynamicAllocation.shuffleTracking.enabled",
  doc: "Whether dynamic allocation keeps executors that have shuffle data of running jobs.",
  since: "3.0.0",
  default: "true",
});

export const storageDecommissionEnabled = entry(boolean, {
  key: "spark.storage.decommission.enabled",
  doc: "Whether executors that are decommissioned move their blocks to others.",
  since: "3.1.0",
  default: "false",
});

export const shuffleDecommissionEnabled = entry(boolean, {
  key: "spark.storage.decommission.shuffleBlocks.enabled",
  doc: "Whether these blocks include shuffle data.",
  since: "3.1.0",
  default: "true",
});

export const shuffleIoPlugin = entry(text, {
  key: "spark.shuffle.sort.io.plugin.class",
  doc: "Class that stores shuffle data.",
  since: "3.0.0",
  default: "org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO",
});

/** Time in s: Spark rounds down. */
export const schedulerBacklogTimeout = entry(duration("s"), {
  key: "spark.dynamicAllocation.schedulerBacklogTimeout",
  doc: "Time for which tasks wait before the driver requests executors.",
  since: "1.2.0",
  default: "1s",
});

export const sustainedSchedulerBacklogTimeout = fallbackEntry(schedulerBacklogTimeout, {
  key: "spark.dynamicAllocation.sustainedSchedulerBacklogTimeout",
  doc: "The same before each further request.",
  since: "1.2.0",
});

export const executorAllocationRatio = entry(double, {
  key: "spark.dynamicAllocation.executorAllocationRatio",
  doc: "Part of the executors for full parallelism that the driver requests.",
  since: "2.4.0",
  default: "1.0",
});
