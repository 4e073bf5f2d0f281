import { type Result, success } from "../errors/issue.ts";
import { driverSteps } from "../features/index.ts";
import type { DriverCheck, DriverConf } from "../plan/driver-conf.ts";
import { excludedSteps } from "../plan/feature-steps.ts";
import type { LogLine } from "../plan/log-line.ts";
import { addContributions, type StepContribution } from "./add-contribution.ts";
import { buildConfMap } from "./conf-map.ts";
import type { Manifests } from "./manifests.ts";
import { buildPod } from "./pod-template.ts";
import { sortKeys } from "./sort-keys.ts";

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
 * Builds a driver's objects: every step adds its part, then its settings become the configuration map.
 *
 * Errors: those of the steps' checks, unless the plan was made with them; SUBMIT_ERR_STEP_CLASH.
 * Source: Spark KubernetesDriverBuilder and Client.
 */
export function buildDriverManifests(driver: DriverConf): Result<DriverManifests> {
  const issues = driverChecks.flatMap((check) => check(driver));
  if (issues.length > 0) return { ok: false, issues };
  const parts = contributions(driver);
  const settings = addContributions(parts);
  if (!settings.ok) return settings;
  const confMap = buildConfMap(driver, settings.value.properties ?? {});
  const all = addContributions([...parts, { step: "ConfMap", contribution: confMap.contribution }]);
  if (!all.ok) return all;
  const { namespace, podName } = driver;
  return success({
    manifests: sortKeys({
      namespace,
      pod: buildPod(driver.template, all.value, { podName, namespace }),
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

function announcements(driver: DriverConf): readonly LogLine[] {
  return driverSteps.flatMap(({ announce }) => announce?.(driver) ?? []);
}

function warnings(parts: readonly StepContribution[]): readonly LogLine[] {
  return parts.flatMap(({ step, contribution }) =>
    (contribution.warnings ?? []).map((text): LogLine => ({ level: "WARN", logger: step, text })),
  );
}
