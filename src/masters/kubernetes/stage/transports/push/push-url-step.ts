import { firesteelFeatureSteps } from "../../../../../conf/entries/firesteel.ts";
import { pushServiceType } from "../../../../../conf/entries/pushing.ts";
import { type Issue, issue } from "../../../../../errors/issue.ts";
import type { DriverConf } from "../../../../../plan/driver-conf.ts";
import type { NamedStep } from "../../../../../spec/user-steps/user-step.ts";

/** Returns the steps that can provide the URL for a push. */
export function pushUrlSteps(steps: readonly NamedStep[]): readonly NamedStep[] {
  return steps.filter(({ step }) => step.pushUrl !== undefined);
}

/** Reports that not exactly one step provides the URL, if a push needs one. */
export function pushUrlStepIssues({ conf, staged }: DriverConf, steps: readonly NamedStep[]): readonly Issue[] {
  if (staged.localized?.transport !== "push" || conf.get(pushServiceType) !== "FeatureStep") return [];
  const found = pushUrlSteps(steps).map(({ name }) => name);
  if (found.length === 1) return [];
  return [issue("SUBMIT_ERR_STAGING_PUSH_STEP", { key: pushServiceType.key, steps: firesteelFeatureSteps.key, found })];
}
