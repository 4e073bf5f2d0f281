import type { DriverConf } from "../plan/driver-conf.ts";
import { stepNames } from "../plan/feature-steps.ts";
import { attemptPrefix } from "../plan/localizing-names.ts";
import { templateForExecutors } from "./localized-dependencies.ts";
import { mountTemplate } from "./mounted-template.ts";
import type { FeatureStep } from "./step.ts";

/** Passes the executors' pod template to the driver, which reads it when it creates executors. */
export const podTemplateConfigMap: FeatureStep<DriverConf> = {
  name: stepNames.podTemplate,
  contribute: (driver) => {
    const { facts, resourceNamePrefix, staged } = driver;
    const isOwned = (staged.localized?.mode ?? "driverServed") !== "driverServed";
    const text = isOwned ? templateForExecutors(driver) : facts.executorTemplateText;
    if (text === undefined) return {};
    return mountTemplate(`${isOwned ? attemptPrefix(driver) : resourceNamePrefix}-driver-podspec-conf-map`, text);
  },
};
