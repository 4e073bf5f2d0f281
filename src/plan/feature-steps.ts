import { excludedFeatureSteps, featureSteps } from "../conf/entries/driver.ts";
import type { ConfEntry, Role } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { traitsOf } from "../conf/spark-version.ts";

/** That Spark's own steps are in. */
export const sparkPackage = "org.apache.spark.deploy.k8s.features.";

/** Names of steps that are spoken of elsewhere, too. */
export const stepNames = {
  hadoop: "HadoopConfDriverFeatureStep",
  kerberos: "KerberosConfDriverFeatureStep",
  mountVolumes: "MountVolumesFeatureStep",
  podTemplate: "PodTemplateConfigMapStep",
  volcano: "VolcanoFeatureStep",
} as const;

const none: ReadonlySet<string> = new Set();

/** Names, without package, of the steps that a user has left out of a role's pod; none in a Spark that cannot do that. */
export function excludedSteps(conf: SparkConf, role: Role = "driver"): ReadonlySet<string> {
  const names = namesIn(conf, excludedFeatureSteps[role]);
  if (names.length === 0 || !traitsOf(conf.version.line).excludedFeatureSteps) return none;
  const classes = names.filter((name) => name.startsWith(sparkPackage));
  return new Set(classes.map((name) => name.slice(sparkPackage.length)));
}

/** True for a step of Spark that takes part only where a user adds it. */
export function isAddedStep(conf: SparkConf, name: string): boolean {
  return (
    namesIn(conf, featureSteps.driver).includes(`${sparkPackage}${name}`) && !excludedSteps(conf).has(name)
  );
}

/** None where the text is not allowed, which is told once, with the other problems of the plan. */
function namesIn(conf: SparkConf, entry: ConfEntry<readonly string[]>): readonly string[] {
  if (!conf.has(entry)) return [];
  const names = conf.read(entry);
  return names.ok ? names.value : [];
}
