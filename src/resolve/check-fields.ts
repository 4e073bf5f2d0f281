import * as driver from "../conf/entries/driver.ts";
import { dynamicAllocationEnabled } from "../conf/entries/dynamic-allocation.ts";
import type { Setting } from "../conf/setting.ts";
import type { SparkLineTraits } from "../conf/spark-version.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { type FieldName, submitField } from "../plan/submit-fields.ts";
import { parseByteSize } from "../values/byte-size.ts";
import { parseJavaInt } from "../values/java-number.ts";
import { parseOptionString } from "../values/option-string.ts";
import type { FieldValues } from "./merge-fields.ts";

/** Inputs of the checks of fields. */
interface CheckedSubmission {
  readonly fields: FieldValues;
  readonly settings: ReadonlyMap<string, Setting>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly traits: SparkLineTraits;
}

/**
 * Returns every problem that Spark reports before it reads the master.
 *
 * Errors: SUBMIT_ERR_HEAP_OPTION, SUBMIT_ERR_OPTION_STRING, SUBMIT_ERR_REMOTE_WITH_MASTER, SUBMIT_ERR_NOT_POSITIVE,
 * SUBMIT_ERR_HADOOP_CONF_DIR, SUBMIT_ERR_PROXY_AND_PRINCIPAL, SUBMIT_ERR_PROXY_USER_EMPTY.
 * Source: Spark SparkSubmitCommandBuilder.checkJavaOptions, SparkSubmitArguments.validateSubmitArguments.
 */
export function fieldIssues(submission: CheckedSubmission): readonly Issue[] {
  return [
    ...javaOptionIssues(submission),
    ...remoteIssues(submission),
    ...memoryIssues(submission),
    ...countIssues(submission),
    ...yarnIssues(submission),
    ...userIssues(submission),
  ];
}

/** Returns the JVM options of the driver that Spark's launcher rejects. */
export function javaOptionIssues({ settings, fields, traits }: Omit<CheckedSubmission, "env">): readonly Issue[] {
  const mode = fields.get("deployMode");
  const isClient = !fields.has("master") || mode === undefined || mode.value === "client";
  return [driver.driverDefaultJavaOptions, driver.driverExtraJavaOptions].flatMap(({ key }) => {
    const options = settings.get(key)?.value ?? "";
    const args = parseOptionString(options);
    const isHeap = traits.javaOptionsByArgument
      ? args?.some((arg) => arg.startsWith("-Xmx")) === true
      : options.includes("-Xmx");
    if (isHeap) return [issue("SUBMIT_ERR_HEAP_OPTION", { options })];
    const isSplit = traits.javaOptionsByArgument || isClient;
    return args === undefined && isSplit ? [issue("SUBMIT_ERR_OPTION_STRING", { text: options })] : [];
  });
}

function remoteIssues({ fields }: CheckedSubmission): readonly Issue[] {
  const conflicts = fields.has("remote") && (fields.has("master") || fields.has("deployMode"));
  return conflicts ? [issue("SUBMIT_ERR_REMOTE_WITH_MASTER", {})] : [];
}

function memoryIssues({ fields, traits }: CheckedSubmission): readonly Issue[] {
  const problems = positiveProblems(fields, (text) => {
    const size = parseByteSize(text, { unit: "B", binarySuffixes: traits.binarySizeSuffixes });
    return size.ok && size.value > 0;
  });
  return [...problems("driverMemory", "Driver memory"), ...problems("executorMemory", "Executor memory")];
}

function countIssues({ fields, settings }: CheckedSubmission): readonly Issue[] {
  const problems = positiveProblems(fields, (text) => (parseJavaInt(text) ?? 0) > 0);
  const isDynamic = settings.get(dynamicAllocationEnabled.key)?.value.toLowerCase() === "true";
  return [
    ...problems("driverCores", "Driver cores"),
    ...problems("executorCores", "Executor cores"),
    ...problems("totalExecutorCores", "Total executor cores"),
    ...(isDynamic ? [] : problems("numExecutors", "Number of executors")),
  ];
}

/** Returns a check that a specified field is a positive number; `what` is the field's name in Spark's message. */
function positiveProblems(fields: FieldValues, isPositive: (text: string) => boolean) {
  return (name: FieldName, what: string): readonly Issue[] => {
    const value = fields.get(name)?.value;
    if (value === undefined || isPositive(value)) return [];
    return [issue("SUBMIT_ERR_NOT_POSITIVE", { what, key: submitField(name).entry?.key ?? name, value })];
  };
}

function yarnIssues({ fields, env }: CheckedSubmission): readonly Issue[] {
  const master = fields.get("master")?.value;
  if (master === undefined || !master.startsWith("yarn")) return [];
  const isSet = env["HADOOP_CONF_DIR"] !== undefined || env["YARN_CONF_DIR"] !== undefined;
  return isSet ? [] : [issue("SUBMIT_ERR_HADOOP_CONF_DIR", { master })];
}

function userIssues({ fields }: CheckedSubmission): readonly Issue[] {
  const both = fields.has("proxyUser") && fields.has("principal");
  if (both) return [issue("SUBMIT_ERR_PROXY_AND_PRINCIPAL", {})];
  return fields.get("proxyUser")?.value === "" ? [issue("SUBMIT_ERR_PROXY_USER_EMPTY", {})] : [];
}
