import type { DriverConf } from "../plan/driver-conf.ts";
import { isAddedStep, stepNames } from "../plan/feature-steps.ts";
import { contributePodGroup, podGroupIssues } from "./pod-group.ts";
import type { FeatureStep } from "./step.ts";

/**
 * Puts the application into a PodGroup of Volcano, which schedules its pods together.
 *
 * Applies if `spark.kubernetes.driver.pod.featureSteps` names it. Source: Spark VolcanoFeatureStep.
 */
export const volcano: FeatureStep<DriverConf> = {
  name: stepNames.volcano,
  check: (driver) => (takesPart(driver) ? podGroupIssues(driver) : []),
  contribute: (driver) => (takesPart(driver) ? contributePodGroup(driver) : {}),
};

function takesPart({ conf }: DriverConf): boolean {
  return isAddedStep(conf, stepNames.volcano);
}
