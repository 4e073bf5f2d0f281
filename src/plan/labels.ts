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

/** Label that selects the objects of one application. */
export const appSelectorLabel = "spark-app-selector";

/** Label whose value is `driver` or `executor`. */
export const roleLabel = "spark-role";

const versionLabel = "spark-version";
/** Label with the application's name, shortened to the length and characters of a label. */
export const appNameLabelKey = "spark-app-name";
/** Label with the ID of an executor. */
export const executorIdLabel = "spark-exec-id";
const profileIdLabel = "spark-exec-resourceprofile-id";

/** Application that labels identify. */
interface LabelledApp {
  readonly appId: AppId;
  readonly appName: string;
}

/**
 * Plans all labels of the driver's pod: the user's, then Spark's own.
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

/** Executor that labels identify. */
interface LabelledExecutor extends LabelledApp {
  readonly executorId: string;
}

/** Plans the labels of an executor's pod in the default resource profile. Source: Spark KubernetesExecutorConf.labels. */
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

/** Values of the placeholders; the executor ID of a driver is empty. */
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

/** Annotation with the name of the pod's PodGroup. Volcano's step replaces a value of the user. */
export const podGroupAnnotation = "scheduling.k8s.io/group-name";

/** Plans the annotations of the driver's pod. Every Spark version replaces their placeholders. */
export function planDriverAnnotations(conf: SparkConf, appId: AppId): StringMap {
  const custom = new Map(conf.withPrefix(driverAnnotations));
  if (isAddedStep(conf, stepNames.volcano)) custom.delete(podGroupAnnotation);
  return Object.fromEntries(withIds(custom, { appId, executorId: "" }));
}

/** Plans the annotations of an executor's pod. */
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
