import { appName, master } from "../conf/entries/app.ts";
import { authenticateDriver } from "../conf/entries/authenticate.ts";
import { checkedPrefixes, uncheckedPrefixes } from "../conf/entries/checked-prefixes.ts";
import { driverCores, driverMemory, driverPodName, driverRequestCores } from "../conf/entries/driver.ts";
import { executorCores, executorInstances, executorMemory, executorRequestCores } from "../conf/entries/executor.ts";
import { containerImage, containerImagePullPolicy } from "../conf/entries/image.ts";
import { namespace } from "../conf/entries/submission.ts";
import { waitAppCompletion } from "../conf/entries/watching.ts";
import type { SparkConf } from "../conf/spark-conf.ts";

/** Settings that most submissions use and every Spark line reads. */
export const commonSettings = [
  ...[containerImage, containerImagePullPolicy, namespace, authenticateDriver.serviceAccountName],
  ...[waitAppCompletion, driverPodName, driverRequestCores, executorRequestCores],
  ...[appName, master, driverMemory, driverCores, executorInstances, executorMemory, executorCores],
];

/** Whether a setting can be unknown or misspelled. If not, the table of all settings need not be loaded. */
export function hasUncommonSettings(conf: SparkConf): boolean {
  return conf
    .settings()
    .some(
      ({ key, origin }) =>
        (key.startsWith(checkedPrefixes.kubernetes) || origin.kind === "conf" || origin.kind === "file") &&
        ![checkedPrefixes.firesteel, ...uncheckedPrefixes].some((family) => key.startsWith(family)) &&
        commonSettings.every((entry) => entry.key !== key),
    );
}
