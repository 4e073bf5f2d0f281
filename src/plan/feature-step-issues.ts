import { excludedFeatureSteps, featureSteps } from "../conf/entries/driver.ts";
import { traitsOf } from "../conf/spark-version.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { sparkPackage, stepNames } from "./feature-steps.ts";
import type { SubmitRequest } from "./submit-request.ts";

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
  stepNames.mountVolumes,
  "NetworkPolicyFeatureStep",
  stepNames.podTemplate,
]);
