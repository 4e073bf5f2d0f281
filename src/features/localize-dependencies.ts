import type { DriverConf } from "../plan/driver-conf.ts";
import type { ExecutorConf } from "../plan/executor-conf.ts";
import { contributeLocalized, contributeToExecutors, localizedIssues } from "./localized-dependencies.ts";
import type { FeatureStep } from "./step.ts";

/** Files of the submitter's machine, where the driver finds them in a folder of its own. */
export const localizeDependencies: FeatureStep<DriverConf> = {
  name: "LocalizeDependencies",
  checkUse: (driver) => (driver.staged.localized === undefined ? [] : localizedIssues(driver)),
  contribute: (driver) =>
    driver.staged.localized === undefined && driver.staged.uploads.length === 0
      ? {}
      : contributeLocalized(driver),
};

/** The same for executors, where they are to have it. */
export const localizeForExecutors: FeatureStep<ExecutorConf> = {
  name: "LocalizeDependencies",
  contribute: (executor) =>
    executor.driver.staged.localized === undefined ? {} : contributeToExecutors(executor),
};
