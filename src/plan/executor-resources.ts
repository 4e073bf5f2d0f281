import * as executor from "../conf/entries/executor.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issue, issuesOf } from "../errors/issue.ts";
import { compareQuantities, parseQuantity } from "../values/quantity.ts";
import type { AppResource } from "./app-resource.ts";
import { type ExecutorMemory, planExecutorMemory } from "./executor-memory.ts";
import { type PodResources, parseCustomLimits, quantityIssues } from "./pod-resources.ts";

/** Compute resources of an executor's container. */
export interface ExecutorResources extends PodResources, ExecutorMemory {
  /** Cores that the executor process uses for tasks. */
  readonly cores: number;
}

/** Resources of an executor, and the problems of their settings. */
export interface PlannedExecutorResources {
  /** Without the values that `issues` names. */
  readonly resources: ExecutorResources;
  readonly issues: readonly Issue[];
}

/**
 * Plans CPU, memory and custom resources of an executor. Typed settings that are invalid count as absent.
 *
 * Errors: SUBMIT_ERR_QUANTITY, SUBMIT_ERR_DRIVER_RESOURCE, SUBMIT_ERR_DRIVER_RESOURCE_AMOUNT, SUBMIT_ERR_EXECUTOR_CPU_LIMIT.
 */
export function planExecutorResources(conf: SparkConf, kind: AppResource["kind"]): PlannedExecutorResources {
  const custom = parseCustomLimits(conf, executor.executorResources);
  const cores = conf.readOrAbsent(executor.executorCores);
  const cpuRequest = conf.readOrAbsent(executor.executorRequestCores) ?? String(cores);
  const cpuLimit = conf.readOrAbsent(executor.executorLimitCores);
  return {
    resources: {
      cores,
      cpuRequest,
      cpuLimit,
      ...planExecutorMemory(conf, kind),
      customLimits: custom.ok ? custom.value : {},
    },
    issues: [
      ...quantityIssues(conf, [executor.executorRequestCores, executor.executorLimitCores]),
      ...issuesOf(custom),
      ...(conf.read(executor.executorCores).ok ? limitIssues(cpuRequest, cpuLimit) : []),
    ],
  };
}

function limitIssues(request: string, limit: string | undefined): readonly Issue[] {
  if (limit === undefined) return [];
  const [requested, maximum] = [parseQuantity(request), parseQuantity(limit)];
  const isLess =
    requested !== undefined && maximum !== undefined && compareQuantities(maximum, requested) < 0;
  return isLess ? [issue("SUBMIT_ERR_EXECUTOR_CPU_LIMIT", { request, limit })] : [];
}
