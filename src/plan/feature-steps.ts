import { excludedFeatureSteps, featureSteps } from "../conf/entries/driver.ts";
import type { ConfEntry, Role } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { traitsOf } from "../conf/spark-version.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { SubmitRequest } from "./submit-request.ts";

const sparkPackage = "org.apache.spark.deploy.k8s.features.";

/** Names of steps that are spoken of elsewhere, too. */
export const stepNames = {
  hadoop: "HadoopConfDriverFeatureStep",
  kerberos: "KerberosConfDriverFeatureStep",
  podTemplate: "PodTemplateConfigMapStep",
  volcano: "VolcanoFeatureStep",
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
  "HadoopConfExecutorFeatureStep",
  stepNames.kerberos,
  "LocalDirsFeatureStep",
  "MountSecretsFeatureStep",
  "MountVolumesFeatureStep",
  "NetworkPolicyFeatureStep",
  stepNames.podTemplate,
]);

/** Names, without package, of the steps that a user has left out of a role's pod; none in a Spark that cannot do that. */
export function excludedSteps(conf: SparkConf, role: Role = "driver"): ReadonlySet<string> {
  if (!traitsOf(conf.version.line).excludedFeatureSteps) return new Set();
  const classes = namesIn(conf, excludedFeatureSteps[role]).filter((name) => name.startsWith(sparkPackage));
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
  const names = conf.read(entry);
  return names.ok ? names.value : [];
}

/** Why steps that a user adds cannot take part: all but one are Java classes that only a JVM runs. */
export function featureStepIssues({
  conf,
  strict,
}: Pick<SubmitRequest, "conf" | "strict">): readonly Issue[] {
  const { key } = featureSteps.driver;
  const typed = conf.check([featureSteps.driver, excludedFeatureSteps.driver]);
  if (typed.length > 0) return typed;
  // Builds of an older Spark may have it, Apache's own do not.
  const hasVolcano = !strict || traitsOf(conf.version.line).volcano;
  return conf
    .get(featureSteps.driver)
    .filter((className) => !(hasVolcano && className === `${sparkPackage}${stepNames.volcano}`))
    .map((className) => {
      const known = className.startsWith(sparkPackage) && builtIn.has(className.slice(sparkPackage.length));
      return issue(known ? "SUBMIT_ERR_FEATURE_STEP_BUILT_IN" : "SUBMIT_ERR_FEATURE_STEP_JAVA", {
        key,
        className,
      });
    });
}
