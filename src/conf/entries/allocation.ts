import { entry } from "../entry.ts";
import { checked, duration } from "../kinds.ts";

/** Time in ms. Since Spark 4.0, the driver rejects at most 100 ms. */
export const allocationBatchDelay = entry(
  checked(duration("ms"), (delay) => delay > 0, "Allocation batch delay must be a positive time value."),
  {
    key: "spark.kubernetes.allocation.batch.delay",
    doc: "Delay between two requests of the driver for executors. Since Spark 4.0, more than 100 ms.",
    since: "2.3.0",
    default: "1s",
  },
);
