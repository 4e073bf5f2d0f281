import { hadoopConfigMapName } from "../conf/entries/hadoop.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { stepNames } from "../plan/feature-steps.ts";
import { contributeHadoopConf, hadoopConfIssues } from "./hadoop-config-map.ts";
import type { FeatureStep } from "./step.ts";

/** The Hadoop configuration of the submitter's HADOOP_CONF_DIR, or of a ConfigMap, for driver and executors. */
export const hadoopConf: FeatureStep<DriverConf> = {
  name: stepNames.hadoop,
  check: (driver) => (isSpecified(driver) ? hadoopConfIssues(driver) : []),
  contribute: (driver) => (isSpecified(driver) ? contributeHadoopConf(driver) : {}),
};

/** Most submissions have none, and need nothing that carries it. */
function isSpecified({ conf, facts }: DriverConf): boolean {
  return conf.has(hadoopConfigMapName) || facts.hadoopDirectory !== undefined;
}
