import { allocationBatchDelay } from "../conf/entries/allocation.ts";
import { driverLimitCores, driverMaster, driverPodName, driverRequestCores } from "../conf/entries/driver.ts";
import { executorLimitCores, executorRequestCores } from "../conf/entries/executor.ts";
import { namespace } from "../conf/entries/submission.ts";
import { volumes } from "../conf/entries/volumes.ts";
import type { ConfEntry, Role } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { checkMountPaths } from "../conf/volume-spec.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { isDnsLabel, isDnsSubdomain } from "../values/dns-name.ts";
import { withoutPasswords } from "../values/redaction.ts";
import { driverCpuIssues } from "./driver-resources.ts";
import { planVolumes } from "./volumes.ts";

const driverCpu = [driverRequestCores, driverLimitCores];
const executorCpu = [executorRequestCores, executorLimitCores];

/**
 * Reports names and quantities that every API server rejects, with their setting keys, mounts of executors with one path, and a delay of
 * executors and an API server that the driver rejects. Spark passes them on, and with those of executors, the driver fails later.
 *
 * Errors: SUBMIT_ERR_SETTING_NAME, SUBMIT_ERR_SETTING_AMOUNT, SUBMIT_ERR_SETTING_VALUE, SUBMIT_ERR_DRIVER_MASTER. Source: Kubernetes, "Object Names and IDs", resource.Quantity.
 */
export function invalidValueIssues(conf: SparkConf): readonly Issue[] {
  return [
    ...nameIssues(conf, namespace, { what: "namespace", isFit: isDnsLabel }),
    ...nameIssues(conf, driverPodName, { what: "pod", isFit: isDnsSubdomain }),
    // Spark's client rejects some of these quantities itself, with its own message.
    ...(driverCpuIssues(conf).length > 0 ? [] : driverCpu.flatMap((entry) => amountIssues(conf, entry))),
    ...executorCpu.flatMap((entry) => amountIssues(conf, entry)),
    ...delayIssues(conf),
    ...driverMasterIssues(conf),
    ...checkMountPaths(planVolumes(conf, "executor").specs),
    ...(["driver", "executor"] as const).flatMap((role) => volumeNameIssues(conf, role)),
  ];
}

function volumeNameIssues(conf: SparkConf, role: Role): readonly Issue[] {
  const invalid = planVolumes(conf, role).specs.filter(({ name }) => !isDnsLabel(name));
  return invalid.map(({ type, name }) =>
    issue("SUBMIT_ERR_SETTING_NAME", { key: `${volumes[role].prefix}${type}.${name}`, value: name, what: "volume" }),
  );
}

/** Reports an address in the form of `--master`: every Spark takes `k8s` for its host. Source: Spark KubernetesClusterManager. */
function driverMasterIssues(conf: SparkConf): readonly Issue[] {
  const { key } = driverMaster;
  const value = withoutPasswords(textOf(conf, driverMaster) ?? "");
  if (!/^k8s:/i.test(value)) return [];
  const written = value.replace(/^k8s:\/*/i, "");
  const address = /^https?:\/\/./i.test(written) ? written : `https://${written.includes(".") ? written : "HOST:PORT"}`;
  return [issue("SUBMIT_ERR_DRIVER_MASTER", { key, value, address })];
}

/** Largest delay that drivers since Spark 4.0 reject, in ms. */
const maxRejectedDelayMs = 100;

function delayIssues(conf: SparkConf): readonly Issue[] {
  const read = conf.read(allocationBatchDelay);
  if (!read.ok) return read.issues;
  const { line } = conf.version;
  if (line === "3.5" || read.value > maxRejectedDelayMs) return [];
  const { key } = allocationBatchDelay;
  const requirement = "Allocation batch delay must be greater than 0.1s.";
  return [issue("SUBMIT_ERR_SETTING_VALUE", { key, value: `${read.value}ms`, requirement, condition: true })];
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
  const value = textOf(conf, entry);
  return value === undefined || isFit(value) ? [] : [issue("SUBMIT_ERR_SETTING_NAME", { key, value, what })];
}

function amountIssues(conf: SparkConf, entry: ConfEntry<string | undefined>): readonly Issue[] {
  const { key } = entry;
  const value = textOf(conf, entry);
  return value === undefined || isAmount(value) ? [] : [issue("SUBMIT_ERR_SETTING_AMOUNT", { key, value })];
}

/** Returns `undefined` for settings that cannot be read, which the plan reports separately. */
function textOf(conf: SparkConf, entry: ConfEntry<string | undefined>): string | undefined {
  const read = conf.read(entry);
  return read.ok ? read.value : undefined;
}

/** Whether a text is a non-negative quantity. */
function isAmount(text: string): boolean {
  return /^\+?(?:\d+\.?\d*|\.\d+)(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/.test(text);
}
