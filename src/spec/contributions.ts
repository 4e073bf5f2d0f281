import type { FeatureStep } from "../features/step.ts";
import type { PodConf } from "../plan/driver-conf.ts";
import { excludedSteps } from "../plan/feature-steps.ts";
import type { StepContribution } from "./add-contribution.ts";

/** What the steps of a role add to its pod, without those that a user has left out. */
export function contributionsOf<C extends PodConf>(
  steps: readonly FeatureStep<C>[],
  pod: C,
): readonly StepContribution[] {
  const excluded = excludedSteps(pod.conf, pod.role);
  return steps
    .filter(({ name }) => !excluded.has(name))
    .map(({ name, contribute }) => ({ step: name, contribution: contribute(pod) }));
}
