import { excludedFeatureSteps, featureSteps } from "../conf/entries/driver.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { traitsOf } from "../conf/spark-version.ts";
import { type Issue, issue } from "../errors/issue.ts";

const sparkPackage = "org.apache.spark.deploy.k8s.features.";

/** Names of steps that are spoken of elsewhere, too. */
export const stepNames = {
  hadoop: "HadoopConfDriverFeatureStep",
  kerberos: "KerberosConfDriverFeatureStep",
} as const;

/** Spark's own steps; a user cannot add them once more, because they have no constructor for that. */
const builtIn = new Set([
  "BasicDriverFeatureStep",
  "BasicExecutorFeatureStep",
  "DriverCommandFeatureStep",
  "DriverKubernetesCredentialsFeatureStep",
  "DriverServiceFeatureStep",
  "EnvSecretsFeatureStep",
  "ExecutorKubernetesCredentialsFeatureStep",
  stepNames.hadoop,
  stepNames.kerberos,
  "LocalDirsFeatureStep",
  "MountSecretsFeatureStep",
  "MountVolumesFeatureStep",
  "NetworkPolicyFeatureStep",
  "PodTemplateConfigMapStep",
]);

/** Names, without package, of the steps that a user has left out; none in a Spark that cannot do that. */
export function excludedSteps(conf: SparkConf): ReadonlySet<string> {
  if (!traitsOf(conf.version.line).excludedFeatureSteps) return new Set();
  const classes = conf.get(excludedFeatureSteps.driver).filter((name) => name.startsWith(sparkPackage));
  return new Set(classes.map((name) => name.slice(sparkPackage.length)));
}

/** Why the steps that a user adds cannot take part: they are Java classes. */
export function featureStepIssues(conf: SparkConf): readonly Issue[] {
  const { key } = featureSteps.driver;
  const typed = conf.check([featureSteps.driver, excludedFeatureSteps.driver]);
  if (typed.length > 0) return typed;
  return conf.get(featureSteps.driver).map((className) => {
    const known = className.startsWith(sparkPackage) && builtIn.has(className.slice(sparkPackage.length));
    return issue(known ? "SUBMIT_ERR_FEATURE_STEP_BUILT_IN" : "SUBMIT_ERR_FEATURE_STEP_JAVA", {
      key,
      className,
    });
  });
}
