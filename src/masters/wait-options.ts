import * as firesteel from "../conf/entries/firesteel.ts";
import { reportInterval } from "../conf/entries/watching.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import type { WaitOptions } from "./kubernetes/monitor/monitor-options.ts";

/** Settings of waiting for a driver. */
export const waitEntries: readonly ConfEntry<unknown>[] = [
  reportInterval,
  firesteel.firesteelLogs,
  firesteel.firesteelKillOnInterrupt,
  firesteel.firesteelStartTimeout,
  firesteel.firesteelRunTimeout,
  firesteel.firesteelFailFast,
];

/** Returns the options of waiting that the settings specify. */
export function waitOptions(conf: SparkConf): WaitOptions {
  return {
    reportIntervalMs: () => conf.get(reportInterval),
    logs: conf.get(firesteel.firesteelLogs),
    startTimeoutMs: conf.get(firesteel.firesteelStartTimeout),
    runTimeoutMs: conf.get(firesteel.firesteelRunTimeout),
    failFast: conf.get(firesteel.firesteelFailFast),
    killOnInterrupt: conf.get(firesteel.firesteelKillOnInterrupt),
  };
}
