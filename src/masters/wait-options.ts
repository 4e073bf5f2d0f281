import * as firesteel from "../conf/entries/firesteel.ts";
import { reportInterval } from "../conf/entries/watching.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";

/** Settings of Firesteel for waiting for a driver. */
export const firesteelWaitEntries: readonly ConfEntry<unknown>[] = [
  firesteel.firesteelLogs,
  firesteel.firesteelKillOnInterrupt,
  firesteel.firesteelStartTimeout,
  firesteel.firesteelRunTimeout,
  firesteel.firesteelFailFast,
  firesteel.firesteelArchive,
];

/** Settings of waiting for a driver. */
export const waitEntries: readonly ConfEntry<unknown>[] = [reportInterval, ...firesteelWaitEntries];

/** Options of waiting for a driver. Times are in ms; a limit of 0 is none. */
export type WaitOptions = ReturnType<typeof waitOptions>;

/** Returns the options of waiting that the settings specify. */
export function waitOptions(conf: SparkConf) {
  return {
    /** Reads the time between two of Spark's status lines. Spark reads it, and rejects it, after the first line. */
    reportIntervalMs: () => conf.get(reportInterval),
    logs: conf.get(firesteel.firesteelLogs),
    startTimeoutMs: conf.get(firesteel.firesteelStartTimeout),
    runTimeoutMs: conf.get(firesteel.firesteelRunTimeout),
    failFast: conf.get(firesteel.firesteelFailFast),
    archive: conf.get(firesteel.firesteelArchive),
    killOnInterrupt: conf.get(firesteel.firesteelKillOnInterrupt),
  };
}
