import { fieldKeys } from "../conf/entries/spark-application.ts";
import type { ApplicationSpec, DynamicAllocation, RestartPolicy, SparkApplication } from "./application.ts";

const defaultRetryInterval = 5;

/** Adds the defaults that the operator's webhook adds. Source: Kubeflow Spark operator 2.5.2. */
export function withDefaults(application: SparkApplication): SparkApplication {
  return { ...application, spec: specWithDefaults(application.spec) };
}

/** Adds defaults to the fields of an application. */
export function specWithDefaults(spec: ApplicationSpec): ApplicationSpec {
  const { sparkConf = {}, dynamicAllocation } = spec;
  const unless = <T>(key: string, value: T, field: T | undefined) => field ?? (key in sparkConf ? undefined : value);
  const hasInstances = isDynamic(spec) || (sparkConf[fieldKeys.instances] ?? "") !== "";
  return {
    ...spec,
    mode: spec.mode ?? "cluster",
    restartPolicy: withDefaultRestart(spec.restartPolicy),
    driver: {
      ...spec.driver,
      ...defined("cores", unless(fieldKeys.driver.cores, 1, spec.driver.cores)),
      ...defined("memory", unless(fieldKeys.driver.memory, "1g", spec.driver.memory)),
    },
    executor: {
      ...spec.executor,
      ...defined("cores", unless(fieldKeys.executor.cores, 1, spec.executor.cores)),
      ...defined("memory", unless(fieldKeys.executor.memory, "1g", spec.executor.memory)),
      ...defined("instances", spec.executor.instances ?? (hasInstances ? undefined : 1)),
    },
    ...(dynamicAllocation === undefined ? {} : { dynamicAllocation: withTracking(dynamicAllocation) }),
  };
}

/** Adds defaults to a restart policy. */
export function withDefaultRestart(policy: RestartPolicy = {}): RestartPolicy {
  const { type = "Never" } = policy;
  if (type === "Never") return { ...policy, type };
  return {
    ...policy,
    type,
    onFailureRetryInterval: policy.onFailureRetryInterval ?? defaultRetryInterval,
    onSubmissionFailureRetryInterval: policy.onSubmissionFailureRetryInterval ?? defaultRetryInterval,
  };
}

function withTracking(allocation: DynamicAllocation): DynamicAllocation {
  if (allocation.enabled !== true) return allocation;
  return { ...allocation, shuffleTrackingEnabled: allocation.shuffleTrackingEnabled ?? true };
}

/**
 * Whether the number of executors follows the load. The operator looks in `sparkConf` for a key in lower case, so that it adds a number of
 * executors that contradicts the setting.
 */
function isDynamic({ dynamicAllocation, sparkConf = {} }: ApplicationSpec): boolean {
  if (dynamicAllocation !== undefined) return dynamicAllocation.enabled === true;
  return sparkConf[fieldKeys.dynamic.enabled] === "true";
}

function defined<N extends string, T>(name: N, value: T | undefined): { readonly [K in N]?: T } {
  if (value === undefined) return {};
  const field: { [K in N]?: T } = {};
  field[name] = value;
  return field;
}
