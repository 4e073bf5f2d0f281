import { hadoopConfigMapName } from "../conf/entries/hadoop.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { stepNames } from "../plan/feature-steps.ts";
import { contributeHadoopConf, hadoopConfIssues } from "./hadoop-config-map.ts";
import type { FeatureStep } from "./step.ts";

/** Hadoop configuration for driver and executors, from the submitter's HADOOP_CONF_DIR or from a ConfigMap. */
export const hadoopConf: FeatureStep<DriverConf> = {
  name: stepNames.hadoop,
  check: (driver) => (isSpecified(driver) ? hadoopConfIssues(driver) : []),
  contribute: (driver) => (isSpecified(driver) ? contributeHadoopConf(driver) : {}),
};

/** Whether the submission has a Hadoop configuration. Most have none and need not load the code for it. */
function isSpecified({ conf, facts }: DriverConf): boolean {
  return conf.has(hadoopConfigMapName) || facts.hadoopDirectory !== undefined;
}
