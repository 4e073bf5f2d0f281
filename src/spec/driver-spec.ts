import { issuesOf, type Result, success, unlessIssues } from "../errors/issue.ts";
import { driverSteps } from "../features/index.ts";
import type { Pod } from "../kube/types.ts";
import type { DriverCheck, DriverConf } from "../plan/driver-conf.ts";
import { excludedSteps } from "../plan/feature-steps.ts";
import type { LogLine } from "../plan/log-line.ts";
import { addContributions, type StepContribution } from "./add-contribution.ts";
import { buildConfMap } from "./conf-map.ts";
import type { Manifests } from "./manifests.ts";
import { buildPod } from "./pod-template.ts";
import { sortKeys } from "./sort-keys.ts";
import { contributionOf, transformedPod } from "./user-steps/run-user-step.ts";
import { type NamedStep, toStepConf } from "./user-steps/user-step.ts";

/** All objects of a driver, and what building them had to tell. */
export interface DriverManifests {
  readonly manifests: Manifests;
  /** In the order in which Spark prints it. */
  readonly log: readonly LogLine[];
}

/** What each feature step demands of a driver, steps that are left out included: for `planDriver`. */
export const driverChecks: readonly DriverCheck[] = driverSteps.flatMap(({ check }) =>
  check === undefined ? [] : [check],
);

/**
 * Builds a driver's objects: every step adds its part, then its settings become the configuration map, then the steps of
 * the user may change the finished pod.
 *
 * Errors: those of the steps' checks, unless the plan was made with them; SUBMIT_ERR_STEP_CLASH,
 * SUBMIT_ERR_FEATURE_STEP_THROWN, SUBMIT_ERR_FEATURE_STEP_RESULT. Source: Spark KubernetesDriverBuilder and Client.
 */
export function buildDriverManifests(
  driver: DriverConf,
  userSteps: readonly NamedStep[] = [],
): Result<DriverManifests> {
  const issues = driverChecks.flatMap((check) => check(driver));
  if (issues.length > 0) return { ok: false, issues };
  const own = userContributions(driver, userSteps);
  if (!own.ok) return own;
  const parts = [...contributions(driver), ...own.value];
  const settings = addContributions(parts);
  if (!settings.ok) return settings;
  const confMap = buildConfMap(driver, settings.value.properties ?? {});
  const all = addContributions([...parts, { step: "ConfMap", contribution: confMap.contribution }]);
  if (!all.ok) return all;
  const { namespace, podName } = driver;
  const pod = transformed(driver, buildPod(driver.template, all.value, { podName, namespace }), userSteps);
  if (!pod.ok) return pod;
  return success({
    manifests: sortKeys({
      namespace,
      pod: pod.value,
      preResources: all.value.preResources ?? [],
      resources: all.value.resources ?? [],
    }),
    log: [...driver.log, ...announcements(driver), ...warnings(parts), ...confMap.log],
  });
}

function contributions(driver: DriverConf): readonly StepContribution[] {
  const excluded = excludedSteps(driver.conf);
  return driverSteps
    .filter(({ name }) => !excluded.has(name))
    .map(({ name, contribute }) => ({ step: name, contribution: contribute(driver) }));
}

function userContributions(
  driver: DriverConf,
  steps: readonly NamedStep[],
): Result<readonly StepContribution[]> {
  const results = steps.map((step) => contributionOf(step, toStepConf(driver)));
  const parts = results.flatMap((result, index) =>
    result.ok ? [{ step: steps[index]?.name ?? "", contribution: result.value }] : [],
  );
  return unlessIssues(results.flatMap(issuesOf), parts);
}

/** One after the other, each on what the one before it left. */
function transformed(driver: DriverConf, pod: Pod, steps: readonly NamedStep[]): Result<Pod> {
  return steps.reduce<Result<Pod>>(
    (sum, step) => (sum.ok ? transformedPod(step, sum.value, toStepConf(driver)) : sum),
    success(pod),
  );
}

function announcements(driver: DriverConf): readonly LogLine[] {
  return driverSteps.flatMap(({ announce }) => announce?.(driver) ?? []);
}

function warnings(parts: readonly StepContribution[]): readonly LogLine[] {
  return parts.flatMap(({ step, contribution }) =>
    (contribution.warnings ?? []).map((text): LogLine => ({ level: "WARN", logger: step, text })),
  );
}
