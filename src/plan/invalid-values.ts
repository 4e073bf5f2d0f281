import { driverLimitCores, driverPodName, driverRequestCores } from "../conf/entries/driver.ts";
import { executorLimitCores, executorRequestCores } from "../conf/entries/executor.ts";
import { namespace } from "../conf/entries/submission.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { isDnsLabel, isDnsSubdomain } from "../values/dns-name.ts";
import { driverCpuIssues } from "./driver-resources.ts";

const driverCpu = [driverRequestCores, driverLimitCores];
const executorCpu = [executorRequestCores, executorLimitCores];

/**
 * Settings that no API takes as names or amounts: told at once, with their keys, where Spark hands them on. Those of
 * executors it would be the driver that fails by.
 *
 * Errors: SUBMIT_ERR_SETTING_NAME, SUBMIT_ERR_SETTING_AMOUNT. Source: Kubernetes, "Object Names and IDs", resource.Quantity.
 */
export function invalidValueIssues(conf: SparkConf): readonly Issue[] {
  return [
    ...nameIssues(conf, namespace, { what: "namespace", isFit: isDnsLabel }),
    ...nameIssues(conf, driverPodName, { what: "pod", isFit: isDnsSubdomain }),
    // What Spark refuses as well is told in its words.
    ...(driverCpuIssues(conf).length > 0 ? [] : driverCpu.flatMap((entry) => amountIssues(conf, entry))),
    ...executorCpu.flatMap((entry) => amountIssues(conf, entry)),
  ];
}

interface NameRule {
  readonly what: "namespace" | "pod";
  readonly isFit: (name: string) => boolean;
}

function nameIssues(
  conf: SparkConf,
  entry: ConfEntry<string | undefined>,
  { what, isFit }: NameRule,
): readonly Issue[] {
  const { key } = entry;
  const value = givenText(conf, entry);
  return value === undefined || isFit(value) ? [] : [issue("SUBMIT_ERR_SETTING_NAME", { key, value, what })];
}

function amountIssues(conf: SparkConf, entry: ConfEntry<string | undefined>): readonly Issue[] {
  const { key } = entry;
  const value = givenText(conf, entry);
  return value === undefined || isAmount(value) ? [] : [issue("SUBMIT_ERR_SETTING_AMOUNT", { key, value })];
}

/** What cannot be read at all, others tell. */
function givenText(conf: SparkConf, entry: ConfEntry<string | undefined>): string | undefined {
  const read = conf.read(entry);
  return read.ok ? read.value : undefined;
}

/** A quantity that is not negative. */
function isAmount(text: string): boolean {
  return /^\+?(?:\d+\.?\d*|\.\d+)(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/.test(text);
}
