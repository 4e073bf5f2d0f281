import type { ConfEntry, PrefixEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { failure, type Issue, issue, type Result, success, unlessIssues } from "../errors/issue.ts";
import type { StringMap } from "../kube/types.ts";
import { parseJavaInt } from "../values/java-number.ts";
import type { AppResource } from "./app-resource.ts";

/** Input of planning a role's resources. */
export interface ResourceInput {
  readonly conf: SparkConf;
  readonly kind: AppResource["kind"];
}

/** Compute resources of a role's container. */
export interface PodResources {
  /** Kubernetes quantity, as written: `500m`. */
  readonly cpuRequest: string;
  /** Kubernetes quantity, as written; `undefined` for no limit. */
  readonly cpuLimit: string | undefined;
  /** Request and limit, in MiB. */
  readonly memoryMiB: number;
  /** Limits of custom resources, e.g. `{"nvidia.com/gpu": "2"}`. */
  readonly customLimits: StringMap;
}

/**
 * Checks the settings that are quantities, by the rules of Spark's client. The API server may still reject a quantity that passes.
 *
 * Errors: SUBMIT_ERR_QUANTITY. Source: the Java client library, Quantity.parse.
 */
export function quantityIssues(conf: SparkConf, entries: readonly ConfEntry<string | undefined>[]): readonly Issue[] {
  return entries.flatMap((entry) => {
    const read = conf.read(entry);
    if (!read.ok) return read.issues;
    if (read.value === undefined || isJavaQuantity(read.value)) return [];
    return [issue("SUBMIT_ERR_QUANTITY", { key: entry.key, value: read.value })];
  });
}

/** A quantity cannot have both an exponent and a suffix. */
function isJavaQuantity(quantity: string): boolean {
  const unit = /[eEinumkKMGTP].*$/s.exec(quantity)?.[0] ?? "";
  return quantity !== "" && !(/[0-9]/.test(unit) && /[A-Za-z]$/.test(unit));
}

/**
 * Parses the limits of a role's custom resources, e.g. from `spark.driver.resource.<name>.{amount,vendor}`.
 *
 * Shape: `{"nvidia.com/gpu": "2"}`. An amount of 0 or less requests nothing.
 * Errors: SUBMIT_ERR_DRIVER_RESOURCE, SUBMIT_ERR_DRIVER_RESOURCE_AMOUNT. Source: Spark ResourceUtils.parseAllResourceRequests.
 */
export function parseCustomLimits(conf: SparkConf, family: PrefixEntry): Result<StringMap> {
  const members = conf.withPrefix(family);
  const limits: Record<string, string> = {};
  const issues: Issue[] = [];
  for (const name of new Set([...members.keys()].flatMap((key) => key.split(".", 1)))) {
    const limit = parseCustomLimit(name, members, family);
    if (!limit.ok) issues.push(...limit.issues);
    else if (limit.value !== undefined) limits[limit.value.resource] = String(limit.value.amount);
  }
  return unlessIssues(issues, limits);
}

function parseCustomLimit(
  name: string,
  members: ReadonlyMap<string, string>,
  family: PrefixEntry,
): Result<{ readonly resource: string; readonly amount: number } | undefined> {
  if (members.has(name)) {
    const key = `${family.prefix}${name}`;
    return rejected(`You must specify an amount config for resource: ${name} config: ${key}`);
  }
  const text = members.get(`${name}.amount`);
  if (text === undefined) return rejected(`You must specify an amount for ${name}`);
  const amount = parseJavaInt(text);
  if (amount === undefined) return failure("SUBMIT_ERR_DRIVER_RESOURCE_AMOUNT", { name, value: text });
  if (amount <= 0) return success(undefined);
  const vendor = members.get(`${name}.vendor`);
  if (vendor === undefined) return rejected(`Resource: ${name} was requested, but vendor was not specified.`);
  return success({ resource: `${vendor}/${name}`, amount });
}

function rejected(text: string): Result<never> {
  return failure("SUBMIT_ERR_DRIVER_RESOURCE", { text });
}
