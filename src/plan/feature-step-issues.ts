import { excludedFeatureSteps, featureSteps } from "../conf/entries/driver.ts";
import { traitsOf } from "../conf/spark-version.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { sparkPackage, stepNames } from "./feature-steps.ts";
import type { SubmitRequest } from "./submit-request.ts";

/** Reports feature steps that cannot run: all except Volcano's are Java classes, which need a JVM. */
export function featureStepIssues({ conf, behaviors }: Pick<SubmitRequest, "conf" | "behaviors">): readonly Issue[] {
  const { key } = featureSteps.driver;
  const typed = conf.check([featureSteps.driver, excludedFeatureSteps.driver]);
  if (typed.length > 0) return typed;
  // Custom builds of an older Spark can contain the step; Apache's builds do not.
  const hasVolcano = behaviors.volcanoStep === "always" || traitsOf(conf.version.line).volcano;
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

/** Spark's own steps. Users cannot add them again, because they do not have the required constructor. */
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
