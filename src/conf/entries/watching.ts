import { entry, optionalEntry } from "../entry.ts";
import { boolean, checked, duration } from "../kinds.ts";

export const waitAppCompletion = entry(boolean, {
  key: "spark.kubernetes.submission.waitAppCompletion",
  doc: "Wait for the end of the application.",
  since: "2.3.0",
  default: "true",
});

/** Interval in ms. */
export const reportInterval = entry(
  checked(duration("ms"), (interval) => interval > 0, "Logging interval must be a positive time value."),
  {
    key: "spark.kubernetes.report.interval",
    doc: "Interval of Spark's status lines while waiting; used only with FIRESTEEL_STRICT=1.",
    since: "2.3.0",
    default: "1s",
  },
);

/** Grace period in seconds. */
export const appKillPodDeletionGracePeriod = optionalEntry(duration("s"), {
  key: "spark.kubernetes.appKillPodDeletionGracePeriod",
  doc: "Grace period of the pods that `--kill` deletes.",
  since: "3.0.0",
});

export const annotateExitException = entry(boolean, {
  key: "spark.kubernetes.driver.annotateExitException",
  doc: "Store the exception that ends the driver in an annotation of its pod.",
  since: "4.1.0",
  default: "false",
});
