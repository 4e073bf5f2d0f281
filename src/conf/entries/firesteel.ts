import { entry, optionalEntry, type PrefixEntry } from "../entry.ts";
import { boolean, oneOf, text } from "../kinds.ts";

export const firesteelSparkVersion = optionalEntry(text, {
  key: "spark.firesteel.sparkVersion",
  doc: "The Spark version that the submission speaks, e.g. `4.1` or `3.5.9`.",
  since: "firesteel",
});

export const firesteelLogs = entry(oneOf(["none", "driver"]), {
  key: "spark.firesteel.logs",
  doc: "Whose log is shown while waiting for the application.",
  since: "firesteel",
  default: "none",
});

export const firesteelKillOnInterrupt = entry(boolean, {
  key: "spark.firesteel.killOnInterrupt",
  doc: "An interrupt while waiting deletes the driver.",
  since: "firesteel",
  default: "false",
});

export const firesteelSettings: PrefixEntry = {
  prefix: "spark.firesteel.",
  doc: "Settings that steer the submission; the driver never gets them.",
  since: "firesteel",
};
