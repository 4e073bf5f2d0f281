import { excludedFeatureSteps, featureSteps } from "../conf/entries/driver.ts";
import type { ConfEntry, Role } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { traitsOf } from "../conf/spark-version.ts";

/** Java package of Spark's own steps. */
export const sparkPackage = "org.apache.spark.deploy.k8s.features.";

/** Names of the steps that other files refer to. */
export const stepNames = {
  hadoop: "HadoopConfDriverFeatureStep",
  kerberos: "KerberosConfDriverFeatureStep",
  mountVolumes: "MountVolumesFeatureStep",
  podTemplate: "PodTemplateConfigMapStep",
  volcano: "VolcanoFeatureStep",
} as const;

const none: ReadonlySet<string> = new Set();

/** Names, without package, of the steps that the user excludes from a role's pod; empty if this Spark line has no such setting. */
export function excludedSteps(conf: SparkConf, role: Role = "driver"): ReadonlySet<string> {
  const names = namesIn(conf, excludedFeatureSteps[role]);
  if (names.length === 0 || !traitsOf(conf.version.line).excludedFeatureSteps) return none;
  const classes = names.filter((name) => name.startsWith(sparkPackage));
  return new Set(classes.map((name) => name.slice(sparkPackage.length)));
}

/** Whether the user adds an optional step of Spark. */
export function isAddedStep(conf: SparkConf, name: string): boolean {
  return namesIn(conf, featureSteps.driver).includes(`${sparkPackage}${name}`) && !excludedSteps(conf).has(name);
}

/** Returns no names for an invalid setting, which the plan reports separately. */
function namesIn(conf: SparkConf, entry: ConfEntry<readonly string[]>): readonly string[] {
  if (!conf.has(entry)) return [];
  const names = conf.read(entry);
  return names.ok ? names.value : [];
}
