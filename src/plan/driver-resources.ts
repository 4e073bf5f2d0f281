import { driverCores, driverLimitCores, driverRequestCores, driverResources } from "../conf/entries/driver.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issuesOf } from "../errors/issue.ts";
import { type DriverMemory, planDriverMemory } from "./driver-memory.ts";
import type { PlanPart } from "./plan-part.ts";
import { type PodResources, planCustomLimits, quantityIssues, type ResourceInput } from "./pod-resources.ts";

/** Compute resources of the driver's container. */
export interface DriverResources extends PodResources, DriverMemory {}

/** Resources of a driver, and the problems of their settings. */
interface PlannedDriverResources {
  /** Without the values that `issues` names. */
  readonly resources: DriverResources;
  readonly issues: readonly Issue[];
}

/**
 * Plans CPU, memory and custom resources of a driver. Typed settings that are invalid count as absent.
 *
 * Errors: SUBMIT_ERR_QUANTITY, SUBMIT_ERR_DRIVER_RESOURCE, SUBMIT_ERR_DRIVER_RESOURCE_AMOUNT.
 */
export function planDriverResources(part: PlanPart<ResourceInput>): PlannedDriverResources {
  const custom = part("resources.customLimits", ({ conf }) => planCustomLimits(conf, driverResources));
  const memory = (path: keyof DriverMemory) =>
    part(`resources.${path}`, ({ conf, kind }) => planDriverMemory(conf, kind)[path]);
  return {
    resources: {
      cpuRequest: part(
        "resources.cpuRequest",
        ({ conf }) => conf.readOrAbsent(driverRequestCores) ?? String(conf.readOrAbsent(driverCores)),
      ),
      cpuLimit: part("resources.cpuLimit", ({ conf }) => conf.readOrAbsent(driverLimitCores)),
      memoryMiB: memory("memoryMiB"),
      overheadFactor: memory("overheadFactor"),
      customLimits: custom.ok ? custom.value : {},
    },
    issues: [...part("settingIssues.resources", ({ conf }) => driverCpuIssues(conf)), ...issuesOf(custom)],
  };
}

/** Checks the driver's CPU settings. Errors: SUBMIT_ERR_QUANTITY. */
export function driverCpuIssues(conf: SparkConf): readonly Issue[] {
  return quantityIssues(conf, [driverRequestCores, driverLimitCores]);
}
