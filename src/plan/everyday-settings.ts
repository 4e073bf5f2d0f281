import { authenticateDriver } from "../conf/entries/authenticate.ts";
import { driverPodName, driverRequestCores } from "../conf/entries/driver.ts";
import { executorRequestCores } from "../conf/entries/executor.ts";
import { containerImage, containerImagePullPolicy } from "../conf/entries/image.ts";
import { judgedFamilies } from "../conf/entries/judged-families.ts";
import { namespace } from "../conf/entries/submission.ts";
import { waitAppCompletion } from "../conf/entries/watching.ts";
import type { SparkConf } from "../conf/spark-conf.ts";

/** What most submissions say, and every Spark reads. */
export const everydaySettings = [
  ...[containerImage, containerImagePullPolicy, namespace, authenticateDriver.serviceAccountName],
  ...[waitAppCompletion, driverPodName, driverRequestCores, executorRequestCores],
];

/** False where none of the settings for Kubernetes can be unknown, so that the table of all need not be loaded. */
export function hasSeldomSettings(conf: SparkConf): boolean {
  return conf
    .settings()
    .some(
      ({ key }) =>
        key.startsWith(judgedFamilies.kubernetes) && everydaySettings.every((entry) => entry.key !== key),
    );
}
