import type { DriverConf } from "../plan/driver-conf.ts";
import type { ExecutorConf } from "../plan/executor-conf.ts";
import { contributeLocalized, contributeToExecutors, localizedIssues } from "./localized-dependencies.ts";
import type { FeatureStep } from "./step.ts";

/** Files of the submitter's machine in a directory of the driver. */
export const localizeDependencies: FeatureStep<DriverConf> = {
  name: "LocalizeDependencies",
  checkUse: (driver) => (driver.staged.localized === undefined ? [] : localizedIssues(driver)),
  contribute: (driver) =>
    driver.staged.localized === undefined && driver.staged.uploads.length === 0 ? {} : contributeLocalized(driver),
};

/** The same directory for executors, if the staging mode includes them. */
export const localizeForExecutors: FeatureStep<ExecutorConf> = {
  name: "LocalizeDependencies",
  contribute: (executor) => (executor.driver.staged.localized === undefined ? {} : contributeToExecutors(executor)),
};
