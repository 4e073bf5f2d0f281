import { driverAnnotations, driverLabels } from "../conf/entries/driver.ts";
import { executorAnnotations, executorLabels } from "../conf/entries/executor.ts";
import type { PrefixEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { traitsOf } from "../conf/spark-version.ts";
import { issue, type Result, unlessIssues } from "../errors/issue.ts";
import type { StringMap } from "../kube/types.ts";
import type { AppId } from "../values/identity.ts";
import { isAddedStep, stepNames } from "./feature-steps.ts";
import { appNameLabel } from "./names.ts";

/** Label by which the objects of one application are found. */
export const appSelectorLabel = "spark-app-selector";

/** Label that tells drivers from executors. */
export const roleLabel = "spark-role";

const versionLabel = "spark-version";
/** Label that names the application, as far as a label can. */
export const appNameLabelKey = "spark-app-name";
/** Label that tells the executors of an application from one another. */
export const executorIdLabel = "spark-exec-id";
const profileIdLabel = "spark-exec-resourceprofile-id";

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
  return withOwnLabels(
    conf,
    driverLabels,
    { appId, executorId: "" },
    {
      [versionLabel]: conf.version.text,
      [appSelectorLabel]: appId,
      [appNameLabelKey]: appNameLabel(appName),
      [roleLabel]: "driver",
    },
  );
}

/** What the labels of an executor tell of it. */
export interface LabelledExecutor extends LabelledApp {
  readonly executorId: string;
}

/** The same for the pod of an executor in the default resource profile. Source: Spark KubernetesExecutorConf.labels. */
export function planExecutorLabels(
  conf: SparkConf,
  { appId, appName, executorId }: LabelledExecutor,
): Result<StringMap> {
  return withOwnLabels(
    conf,
    executorLabels,
    { appId, executorId },
    {
      [versionLabel]: conf.version.text,
      [executorIdLabel]: executorId,
      [appSelectorLabel]: appId,
      [appNameLabelKey]: appNameLabel(appName),
      [roleLabel]: "executor",
      [profileIdLabel]: "0",
    },
  );
}

/** What placeholders stand for; a driver has no executor id. */
interface Ids {
  readonly appId: AppId;
  readonly executorId: string;
}

function withOwnLabels(conf: SparkConf, family: PrefixEntry, ids: Ids, own: StringMap): Result<StringMap> {
  const custom = conf.withPrefix(family);
  const issues = Object.keys(own)
    .filter((label) => custom.has(label))
    .map((label) => issue("SUBMIT_ERR_LABEL_RESERVED", { label }));
  const replaced = traitsOf(conf.version.line).labelPlaceholders ? withIds(custom, ids) : custom;
  return unlessIssues(issues, { ...Object.fromEntries(replaced), ...own });
}

/** The name of the pod's PodGroup; Volcano's step has the last word on it. */
export const podGroupAnnotation = "scheduling.k8s.io/group-name";

/** The annotations of the driver's pod; their placeholders are replaced in every Spark version. */
export function planDriverAnnotations(conf: SparkConf, appId: AppId): StringMap {
  const given = new Map(conf.withPrefix(driverAnnotations));
  if (isAddedStep(conf, stepNames.volcano)) given.delete(podGroupAnnotation);
  return Object.fromEntries(withIds(given, { appId, executorId: "" }));
}

/** The annotations of an executor's pod, likewise. */
export function planExecutorAnnotations(conf: SparkConf, ids: Ids): StringMap {
  return Object.fromEntries(withIds(conf.withPrefix(executorAnnotations), ids));
}

/** Replaces `{{APP_ID}}` and `{{EXECUTOR_ID}}`. Source: Spark Utils.substituteAppNExecIds. */
export function withExecutorIds(text: string, { appId, executorId }: Ids): string {
  return text.replaceAll("{{APP_ID}}", appId).replaceAll("{{EXECUTOR_ID}}", executorId);
}

function withIds(values: ReadonlyMap<string, string>, ids: Ids): ReadonlyMap<string, string> {
  return new Map([...values].map(([key, value]) => [key, withExecutorIds(value, ids)]));
}
