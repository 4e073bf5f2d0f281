import { issuesOf, type Result, success, unlessIssues } from "../errors/issue.ts";
import { driverSteps } from "../features/driver-steps.ts";
import type { Pod, StringMap } from "../kube/types.ts";
import type { DriverCheck, DriverConf } from "../plan/driver-conf.ts";
import type { LogLine } from "../plan/log-line.ts";
import { addContributions, type StepContribution } from "./add-contribution.ts";
import { buildConfMap } from "./conf-map.ts";
import { contributionsOf, partsOf, type StepPart, stepIssues } from "./contributions.ts";
import type { Manifests } from "./manifests.ts";
import { buildPod } from "./pod-template.ts";
import { sortKeys } from "./sort-keys.ts";
import { contributionOf, transformedPod } from "./user-steps/run-user-step.ts";
import { type NamedStep, toStepConf } from "./user-steps/user-step.ts";

/** Objects of a driver, and log messages. */
export interface DriverManifests {
  readonly manifests: Manifests;
  /** Settings that the steps pass to the driver. */
  readonly properties: StringMap;
  /** Messages in the order in which Spark prints them. */
  readonly log: readonly LogLine[];
}

/**
 * Checks of the driver's feature steps in their order, for `planDriver`.
 *
 * @example
 * ```ts
 * const issues = driverChecks.flatMap((check) => check(driver));
 * ```
 */
export const driverChecks: readonly DriverCheck[] = driverSteps.map((step) => (driver) => stepIssues(step, driver));

/** Name of the step that builds the driver's ConfigMap, after all others. */
export const confMapStep = "ConfMap";

/**
 * Builds a driver's objects: all steps contribute, then the settings become the ConfigMap, then the user's steps may
 * transform the finished pod.
 *
 * Errors: those of the steps' checks, unless the plan was made with them; SUBMIT_ERR_STEP_CONFLICT,
 * SUBMIT_ERR_FEATURE_STEP_THROWN, SUBMIT_ERR_FEATURE_STEP_RESULT. Source: Spark KubernetesDriverBuilder and Client.
 *
 * @example
 * ```ts
 * const built = buildDriverManifests(driver);
 * if (built.ok) console.log(JSON.stringify(built.value.manifests.pod));
 * ```
 */
export function buildDriverManifests(
  driver: DriverConf,
  userSteps: readonly NamedStep[] = [],
): Result<DriverManifests> {
  const issues = driverChecks.flatMap((check) => check(driver));
  if (issues.length > 0) return { ok: false, issues };
  return assembleDriver(driver, userSteps);
}

/** Lists the parts of the driver's steps, without the ConfigMap. */
export function driverParts(driver: DriverConf): readonly StepPart<DriverConf>[] {
  return partsOf(driverSteps, driver);
}

/**
 * Builds the objects of a valid driver.
 *
 * Errors: SUBMIT_ERR_STEP_CONFLICT, SUBMIT_ERR_FEATURE_STEP_THROWN, SUBMIT_ERR_FEATURE_STEP_RESULT.
 */
export function assembleDriver(driver: DriverConf, userSteps: readonly NamedStep[] = []): Result<DriverManifests> {
  const own = userContributions(driver, userSteps);
  if (!own.ok) return own;
  const parts = [...contributionsOf(driverSteps, driver), ...own.value];
  const added = addContributions(parts);
  if (!added.ok) return added;
  const { properties = {} } = added.value.contribution;
  const confMap = buildConfMap(driver, properties);
  const all = addContributions([{ step: confMapStep, contribution: confMap.contribution }], added.value);
  if (!all.ok) return all;
  const { contribution } = all.value;
  const { namespace, podName } = driver;
  const pod = transformed(driver, buildPod(driver.template, contribution, { podName, namespace }), userSteps);
  if (!pod.ok) return pod;
  return success({
    properties,
    manifests: sortKeys({
      namespace,
      pod: pod.value,
      preResources: contribution.preResources ?? [],
      resources: contribution.resources ?? [],
    }),
    log: [...driver.log, ...announcements(driver), ...warnings(parts), ...confMap.log],
  });
}

function userContributions(driver: DriverConf, steps: readonly NamedStep[]): Result<readonly StepContribution[]> {
  const results = steps.map((step) => contributionOf(step, toStepConf(driver)));
  const parts = results.flatMap((result, index) =>
    result.ok ? [{ step: steps[index]?.name ?? "", contribution: result.value }] : [],
  );
  return unlessIssues(results.flatMap(issuesOf), parts);
}

/** Applies the user's steps in order, each to the result of the previous one. */
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
