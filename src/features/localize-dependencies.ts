import { removeUploads } from "../conf/entries/localizing.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import type { ExecutorConf } from "../plan/executor-conf.ts";
import { uploadsAnnotation } from "../plan/labels.ts";
import { contributeLocalized, contributeToExecutors, localizedIssues } from "./localized-dependencies.ts";
import type { Contribution, FeatureStep } from "./step.ts";

/** Files of the submitter's machine, where the driver finds them in a folder of its own. */
export const localizeDependencies: FeatureStep<DriverConf> = {
  name: "LocalizeDependencies",
  checkUse: (driver) => (driver.staged.localized === undefined ? [] : localizedIssues(driver)),
  contribute: (driver) =>
    driver.staged.localized === undefined ? noteOfUploads(driver) : contributeLocalized(driver),
};

/** For those who remove them. */
function noteOfUploads({ staged, conf, strict }: DriverConf): Contribution {
  if (staged.uploads.length === 0 || strict || !conf.get(removeUploads)) return {};
  const folders = staged.uploads.map(({ folder }) => folder);
  return { annotations: { [uploadsAnnotation]: JSON.stringify(folders) } };
}

/** The same for executors, where they are to have it. */
export const localizeForExecutors: FeatureStep<ExecutorConf> = {
  name: "LocalizeDependencies",
  contribute: (executor) =>
    executor.driver.staged.localized === undefined ? {} : contributeToExecutors(executor),
};
