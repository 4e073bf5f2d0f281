import { driverLimitCores, driverRequestCores, driverResources } from "../conf/entries/driver.ts";
import type { ConfEntry, PrefixEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { failure, type Issue, issue, type Result, success, unlessIssues } from "../errors/issue.ts";
import type { StringMap } from "../kube/types.ts";
import { parseJavaInt } from "../values/java-number.ts";

/**
 * Why the driver's CPU settings cannot be had; a server may still refuse what passes here.
 *
 * Errors: SUBMIT_ERR_QUANTITY. Source: the Java client library, Quantity.parse.
 */
export function driverCpuIssues(conf: SparkConf): readonly Issue[] {
  return quantityIssues(conf, [driverRequestCores, driverLimitCores]);
}

/** The same for any settings that are quantities. */
export function quantityIssues(
  conf: SparkConf,
  entries: readonly ConfEntry<string | undefined>[],
): readonly Issue[] {
  return entries.flatMap((entry) => {
    const read = conf.read(entry);
    if (!read.ok) return read.issues;
    if (read.value === undefined || isPassedOn(read.value)) return [];
    return [issue("SUBMIT_ERR_QUANTITY", { key: entry.key, value: read.value })];
  });
}

/** An exponent cannot have a suffix as well. */
function isPassedOn(quantity: string): boolean {
  const unit = /[eEinumkKMGTP].*$/s.exec(quantity)?.[0] ?? "";
  return quantity !== "" && !(/[0-9]/.test(unit) && /[A-Za-z]$/.test(unit));
}

/**
 * Limits for the driver's custom resources, from `spark.driver.resource.<name>.{amount,vendor}`.
 *
 * Shape: `{"nvidia.com/gpu": "2"}`. An amount of 0 or less asks for nothing.
 * Errors: SUBMIT_ERR_DRIVER_RESOURCE, SUBMIT_ERR_DRIVER_RESOURCE_AMOUNT. Source: Spark ResourceUtils.parseAllResourceRequests.
 */
export function parseDriverResources(conf: SparkConf): Result<StringMap> {
  return parseResources(conf, driverResources);
}

/** The same for a family such as `spark.executor.resource.`. */
export function parseResources(conf: SparkConf, family: PrefixEntry): Result<StringMap> {
  const members = conf.withPrefix(family);
  const limits: Record<string, string> = {};
  const issues: Issue[] = [];
  for (const name of new Set([...members.keys()].flatMap((key) => key.split(".", 1)))) {
    const limit = parseResource(name, members, family);
    if (!limit.ok) issues.push(...limit.issues);
    else if (limit.value !== undefined) limits[limit.value.resource] = String(limit.value.amount);
  }
  return unlessIssues(issues, limits);
}

function parseResource(
  name: string,
  members: ReadonlyMap<string, string>,
  family: PrefixEntry,
): Result<{ readonly resource: string; readonly amount: number } | undefined> {
  if (members.has(name)) {
    const key = `${family.prefix}${name}`;
    return refuse(`You must specify an amount config for resource: ${name} config: ${key}`);
  }
  const text = members.get(`${name}.amount`);
  if (text === undefined) return refuse(`You must specify an amount for ${name}`);
  const amount = parseJavaInt(text);
  if (amount === undefined) return failure("SUBMIT_ERR_DRIVER_RESOURCE_AMOUNT", { name, value: text });
  if (amount <= 0) return success(undefined);
  const vendor = members.get(`${name}.vendor`);
  if (vendor === undefined) return refuse(`Resource: ${name} was requested, but vendor was not specified.`);
  return success({ resource: `${vendor}/${name}`, amount });
}

function refuse(text: string): Result<never> {
  return failure("SUBMIT_ERR_DRIVER_RESOURCE", { text });
}
