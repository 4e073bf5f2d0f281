import { type Result, success } from "../errors/issue.ts";
import { executorSteps } from "../features/executor-steps.ts";
import type { KubeResource, Pod } from "../kube/types.ts";
import type { ExecutorConf } from "../plan/executor-conf.ts";
import { addContributions } from "./add-contribution.ts";
import { contributionsOf, partsOf, type StepPart, stepIssues } from "./contributions.ts";
import { buildPod } from "./pod-template.ts";
import { sortKeys } from "./sort-keys.ts";

/** Objects that a driver creates for one executor, except the shared ConfigMap. */
export interface ExecutorManifests {
  readonly pod: Pod;
  /** Claims, which the driver's pod owns, like the executor's pod. */
  readonly resources: readonly KubeResource[];
}

/**
 * Builds an executor's objects.
 *
 * Errors: those of the steps' checks, SUBMIT_ERR_STEP_CONFLICT. Source: Spark KubernetesExecutorBuilder.
 */
export function buildExecutorManifests(executor: ExecutorConf): Result<ExecutorManifests> {
  const issues = executorSteps.flatMap((step) => stepIssues(step, executor));
  if (issues.length > 0) return { ok: false, issues };
  return assembleExecutor(executor);
}

/** Lists the parts of the executor's steps. */
export function executorParts(executor: ExecutorConf): readonly StepPart<ExecutorConf>[] {
  return partsOf(executorSteps, executor);
}

/**
 * Builds the objects of a valid executor.
 *
 * Errors: SUBMIT_ERR_STEP_CONFLICT.
 */
function assembleExecutor(executor: ExecutorConf): Result<ExecutorManifests> {
  const all = addContributions(contributionsOf(executorSteps, executor));
  if (!all.ok) return all;
  const { contribution } = all.value;
  const { podName, namespace, owner, template } = executor;
  const resources = (contribution.resources ?? []).map((resource) => ({
    ...resource,
    metadata: { ...resource.metadata, ownerReferences: [owner] },
  }));
  const pod = buildPod(template, contribution, { podName, namespace, owner });
  return success(sortKeys({ pod, resources }));
}
