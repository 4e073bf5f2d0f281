import { type Result, success } from "../errors/issue.ts";
import { executorSteps } from "../features/index.ts";
import type { KubeResource, Pod } from "../kube/types.ts";
import type { ExecutorConf } from "../plan/executor-conf.ts";
import { addContributions, type StepContribution } from "./add-contribution.ts";
import { contributionsOf, stepIssues } from "./contributions.ts";
import { buildPod } from "./pod-template.ts";
import { sortKeys } from "./sort-keys.ts";

/** Resources that a driver requests for one executor, except the shared ConfigMap. */
export interface ExecutorManifests {
  readonly pod: Pod;
  /** Claims; owned by the driver's pod, as the executor's is. */
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

/** The steps that take part in making an executor, and what each adds. */
export function executorParts(executor: ExecutorConf): readonly StepContribution[] {
  return contributionsOf(executorSteps, executor);
}

/**
 * The objects of an executor with which nothing is wrong; of one step too few where it is told to leave one out.
 *
 * Errors: SUBMIT_ERR_STEP_CONFLICT.
 */
export function assembleExecutor(executor: ExecutorConf, excludedStep?: string): Result<ExecutorManifests> {
  const all = addContributions(executorParts(executor).filter(({ step }) => step !== excludedStep));
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
