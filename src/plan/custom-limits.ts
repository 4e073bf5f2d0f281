import type { PrefixEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { failure, type Issue, type Result, success, unlessIssues } from "../errors/issue.ts";
import type { StringMap } from "../kube/types.ts";
import { parseJavaInt } from "../values/java-number.ts";

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
