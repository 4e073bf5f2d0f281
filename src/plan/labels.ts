import { driverAnnotations, driverLabels } from "../conf/entries/driver.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { traitsOf } from "../conf/spark-version.ts";
import { issue, type Result, unlessIssues } from "../errors/issue.ts";
import type { StringMap } from "../kube/types.ts";
import type { AppId } from "../values/identity.ts";
import { appNameLabel } from "./names.ts";

/** Label by which the objects of one application are found. */
export const appSelectorLabel = "spark-app-selector";

/** Label that tells drivers from executors. */
export const roleLabel = "spark-role";

const versionLabel = "spark-version";
/** Label that names the application, as far as a label can. */
export const appNameLabelKey = "spark-app-name";
const reserved = [versionLabel, appSelectorLabel, appNameLabelKey, roleLabel];

/** What the labels of a driver tell of its application. */
export interface LabelledApp {
  readonly appId: AppId;
  readonly appName: string;
}

/**
 * All labels of the driver's pod: the user's, then Spark's own.
 *
 * Errors: SUBMIT_ERR_LABEL_RESERVED, one for each label that is Spark's. Source: Spark KubernetesDriverConf.labels.
 */
export function planDriverLabels(conf: SparkConf, { appId, appName }: LabelledApp): Result<StringMap> {
  const custom = conf.withPrefix(driverLabels);
  const issues = reserved
    .filter((label) => custom.has(label))
    .map((label) => issue("SUBMIT_ERR_LABEL_RESERVED", { label }));
  const replaced = traitsOf(conf.version.line).labelPlaceholders ? withAppId(custom, appId) : custom;
  return unlessIssues(issues, {
    ...Object.fromEntries(replaced),
    [versionLabel]: conf.version.text,
    [appSelectorLabel]: appId,
    [appNameLabelKey]: appNameLabel(appName),
    [roleLabel]: "driver",
  });
}

/** The annotations of the driver's pod; their placeholders are replaced in every Spark version. */
export function planDriverAnnotations(conf: SparkConf, appId: AppId): StringMap {
  return Object.fromEntries(withAppId(conf.withPrefix(driverAnnotations), appId));
}

/** A driver has no executor id, so that placeholder becomes nothing. */
function withAppId(values: ReadonlyMap<string, string>, appId: AppId): ReadonlyMap<string, string> {
  return new Map(
    [...values].map(([key, value]) => [
      key,
      value.replaceAll("{{APP_ID}}", appId).replaceAll("{{EXECUTOR_ID}}", ""),
    ]),
  );
}
