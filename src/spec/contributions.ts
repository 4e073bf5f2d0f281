import type { Issue } from "../errors/issue.ts";
import type { ContributionPart, FeatureStep } from "../features/step.ts";
import type { PodConf } from "../plan/driver-conf.ts";
import { excludedSteps } from "../plan/feature-steps.ts";
import type { StepContribution } from "./add-contribution.ts";

/** Contributions of a role's steps to its pod, without the steps that the user excluded. */
export function contributionsOf<C extends PodConf>(
  steps: readonly FeatureStep<C>[],
  pod: C,
): readonly StepContribution[] {
  const excluded = excludedSteps(pod.conf, pod.role);
  return steps
    .filter(({ name }) => !excluded.has(name))
    .map(({ name, contribute }) => ({ step: name, contribution: contribute(pod) }));
}

/** Part of a step's contribution, not yet computed. */
export interface StepPart<C extends PodConf> {
  readonly step: string;
  readonly part: ContributionPart<C>;
}

/** Lists the parts of each step that the user did not exclude. */
export function partsOf<C extends PodConf>(steps: readonly FeatureStep<C>[], pod: C): readonly StepPart<C>[] {
  const excluded = excludedSteps(pod.conf, pod.role);
  return steps
    .filter(({ name }) => !excluded.has(name))
    .flatMap(({ name, parts, contribute }) => (parts ?? [contribute]).map((part) => ({ step: name, part })));
}

/** Reports problems of a step: those of creating it, and unless it is excluded, those of its contribution. */
export function stepIssues<C extends PodConf>({ name, check, checkUse }: FeatureStep<C>, pod: C): readonly Issue[] {
  const isUsed = !excludedSteps(pod.conf, pod.role).has(name);
  return [...(check?.(pod) ?? []), ...(isUsed ? (checkUse?.(pod) ?? []) : [])];
}
