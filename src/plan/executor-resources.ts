import * as executor from "../conf/entries/executor.ts";
import { type Issue, issue, issuesOf } from "../errors/issue.ts";
import { compareQuantities, parseQuantity } from "../values/quantity.ts";
import { type ExecutorMemory, planExecutorMemory } from "./executor-memory.ts";
import type { PlanPart } from "./plan-part.ts";
import { type PodResources, planCustomLimits, quantityIssues, type ResourceInput } from "./pod-resources.ts";

/** Compute resources of an executor's container. */
export interface ExecutorResources extends PodResources, ExecutorMemory {
  /** Cores that the executor process uses for tasks. */
  readonly cores: number;
}

/** Resources of an executor, and the problems of their settings. */
interface PlannedExecutorResources {
  /** Without the values that `issues` names. */
  readonly resources: ExecutorResources;
  readonly issues: readonly Issue[];
}

/**
 * Plans CPU, memory and custom resources of an executor. Typed settings that are invalid count as absent.
 *
 * Errors: SUBMIT_ERR_QUANTITY, SUBMIT_ERR_DRIVER_RESOURCE, SUBMIT_ERR_DRIVER_RESOURCE_AMOUNT, SUBMIT_ERR_EXECUTOR_CPU_LIMIT.
 */
export function planExecutorResources(part: PlanPart<ResourceInput>): PlannedExecutorResources {
  const custom = part("resources.customLimits", ({ conf }) => planCustomLimits(conf, executor.executorResources));
  const readCores = ({ conf }: ResourceInput) => conf.readOrAbsent(executor.executorCores);
  const cpuRequest = part(
    "resources.cpuRequest",
    (input) => input.conf.readOrAbsent(executor.executorRequestCores) ?? String(readCores(input)),
  );
  const cpuLimit = part("resources.cpuLimit", ({ conf }) => conf.readOrAbsent(executor.executorLimitCores));
  const memory = (path: keyof ExecutorMemory) =>
    part(`resources.${path}`, ({ conf, kind }) => planExecutorMemory(conf, kind)[path]);
  const issues = part("settingIssues.resources", ({ conf }) => [
    ...quantityIssues(conf, [executor.executorRequestCores, executor.executorLimitCores]),
    ...issuesOf(custom),
    ...(conf.read(executor.executorCores).ok ? limitIssues(cpuRequest, cpuLimit) : []),
  ]);
  return {
    resources: {
      cores: part("resources.cores", readCores),
      cpuRequest,
      cpuLimit,
      heapMiB: memory("heapMiB"),
      memoryMiB: memory("memoryMiB"),
      customLimits: custom.ok ? custom.value : {},
    },
    issues,
  };
}

function limitIssues(request: string, limit: string | undefined): readonly Issue[] {
  if (limit === undefined) return [];
  const [requested, maximum] = [parseQuantity(request), parseQuantity(limit)];
  const isLess = requested !== undefined && maximum !== undefined && compareQuantities(maximum, requested) < 0;
  if (!isLess) return [];
  const keys = { requestKey: executor.executorRequestCores.key, limitKey: executor.executorLimitCores.key };
  return [issue("SUBMIT_ERR_EXECUTOR_CPU_LIMIT", { request, limit, ...keys })];
}
