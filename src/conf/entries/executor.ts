import { isDnsSubdomain } from "../../values/dns-name.ts";
import { entry, fallbackEntry, optionalEntry, type PrefixEntry } from "../entry.ts";
import { boolean, bytes, checked, double, duration, integer, text } from "../kinds.ts";
import { allowPrivilegeEscalation } from "./driver.ts";

export const executorMemory = entry(bytes("MiB"), {
  key: "spark.executor.memory",
  doc: "Heap of an executor, in MiB unless a unit is given.",
  since: "0.7.0",
  default: "1g",
});

export const executorMemoryOverhead = optionalEntry(bytes("MiB"), {
  key: "spark.executor.memoryOverhead",
  doc: "Memory of an executor's container beyond the heap, in MiB unless a unit is given; replaces the computed one.",
  since: "2.3.0",
  alternatives: ["spark.yarn.executor.memoryOverhead"],
});

export const executorMemoryOverheadFactor = entry(
  checked(double, (factor) => factor > 0, "Ensure that memory overhead is a double greater than 0"),
  {
    key: "spark.executor.memoryOverheadFactor",
    doc: "Memory of an executor beyond the heap as a part of the heap.",
    since: "3.3.0",
    default: "0.1",
  },
);

export const executorMinMemoryOverhead = entry(bytes("MiB"), {
  key: "spark.executor.minMemoryOverhead",
  doc: "Lower bound of an executor's computed overhead, in MiB unless a unit is given.",
  since: "4.0.0",
  default: "384m",
});

export const executorPysparkMemory = optionalEntry(bytes("MiB"), {
  key: "spark.executor.pyspark.memory",
  doc: "Memory for Python in an executor, in MiB unless a unit is given.",
  since: "2.4.0",
});

export const offHeapEnabled = entry(boolean, {
  key: "spark.memory.offHeap.enabled",
  doc: "Executors use memory beyond the heap.",
  since: "1.6.0",
  default: "false",
});

export const offHeapSize = entry(bytes("B"), {
  key: "spark.memory.offHeap.size",
  doc: "How much memory beyond the heap executors use, in bytes unless a unit is given.",
  since: "1.6.0",
  default: "0",
});

export const executorCores = entry(integer, {
  key: "spark.executor.cores",
  doc: "Cores of an executor.",
  since: "1.0.0",
  default: "1",
});

export const executorInstances = optionalEntry(integer, {
  key: "spark.executor.instances",
  doc: "Number of executors.",
  since: "1.0.0",
});

export const executorRequestCores = optionalEntry(text, {
  key: "spark.kubernetes.executor.request.cores",
  doc: "CPU that an executor's container asks for, a Kubernetes quantity.",
  since: "2.4.0",
});

export const executorLimitCores = optionalEntry(text, {
  key: "spark.kubernetes.executor.limit.cores",
  doc: "Most CPU that an executor's container gets, a Kubernetes quantity.",
  since: "2.3.0",
});

export const executorExtraJavaOptions = optionalEntry(text, {
  key: "spark.executor.extraJavaOptions",
  doc: "Options for the executors' JVMs.",
  since: "1.0.0",
});

export const executorDefaultJavaOptions = optionalEntry(text, {
  key: "spark.executor.defaultJavaOptions",
  doc: "Options for the executors' JVMs, put before `spark.executor.extraJavaOptions`.",
  since: "3.0.0",
});

export const executorExtraClassPath = optionalEntry(text, {
  key: "spark.executor.extraClassPath",
  doc: "Put before the class path of the executors.",
  since: "1.0.0",
});

export const executorExtraLibraryPath = optionalEntry(text, {
  key: "spark.executor.extraLibraryPath",
  doc: "Library path of the executors' JVMs.",
  since: "1.0.0",
});

export const executorSchedulerName = optionalEntry(text, {
  key: "spark.kubernetes.executor.scheduler.name",
  doc: "Scheduler of the executors' pods.",
  since: "3.0.0",
  alternatives: ["spark.kubernetes.scheduler.name"],
});

export const executorDisableConfigMap = entry(boolean, {
  key: "spark.kubernetes.executor.disableConfigMap",
  doc: "Executors get no ConfigMap with the driver's configuration files.",
  since: "3.2.0",
  default: "false",
});

/** In seconds. */
export const executorTerminationGracePeriod = entry(
  checked(duration("s"), (seconds) => seconds >= 0, "terminationGracePeriodSeconds must be non-negative"),
  {
    key: "spark.kubernetes.executor.terminationGracePeriodSeconds",
    doc: "How long an executor's pod may take to end, in seconds unless a unit is given.",
    since: "4.1.0",
    default: "30s",
  },
);

/** On by default since Spark 4.3, off before. */
export const executorUseDriverPodIp = optionalEntry(boolean, {
  key: "spark.kubernetes.executor.useDriverPodIP",
  doc: "Executors reach the driver by its pod's IP instead of its service; `true` since Spark 4.3 unless given.",
  since: "4.1.0",
});

export const executorAllowPrivilegeEscalation = fallbackEntry(allowPrivilegeEscalation, {
  key: "spark.kubernetes.executor.securityContext.allowPrivilegeEscalation",
  doc: "Whether processes of the executors' containers may gain more privileges than their parents.",
  since: "4.3.0",
});

export const executorLogUrl = optionalEntry(text, {
  key: "spark.ui.custom.executor.log.url",
  doc: "Where the pages of the application find the executors' logs.",
  since: "3.0.0",
});

export const decommissionScript = entry(text, {
  key: "spark.kubernetes.decommission.script",
  doc: "What an executor's container runs before it stops, where decommissioning is enabled.",
  since: "3.2.0",
  default: "/opt/decom.sh",
});

export const authenticateEnabled = entry(boolean, {
  key: "spark.authenticate",
  doc: "Driver and executors prove to one another that they know a secret.",
  since: "1.0.0",
  default: "false",
});

export const authenticateSecret = optionalEntry(text, {
  key: "spark.authenticate.secret",
  doc: "That secret, on other clusters than Kubernetes, where the driver makes it.",
  since: "1.0.0",
});

export const authenticateExecutorSecretFile = optionalEntry(text, {
  key: "spark.authenticate.secret.executor.file",
  doc: "The file in which executors find the secret.",
  since: "3.0.0",
  alternatives: ["spark.authenticate.secret.file"],
});

/** The names go on with `-exec-` and a number of at most ten digits. */
export const executorPodNamePrefix = optionalEntry(
  checked(
    text,
    (prefix) => isDnsSubdomain(prefix) && prefix.length <= 237,
    "must conform https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names and the value length <= 237",
  ),
  {
    key: "spark.kubernetes.executor.podNamePrefix",
    doc: "Beginning of the names of the executors' pods.",
    since: "2.3.0",
  },
);

/** Written by the submission; read by the driver. */
export const executorHadoopConfigMapName = optionalEntry(text, {
  key: "spark.kubernetes.executor.hadoopConfigMapName",
  doc: "The ConfigMap with the Hadoop configuration of the executors; written by the submission.",
  since: "3.0.0",
});

export const executorLabels: PrefixEntry = {
  prefix: "spark.kubernetes.executor.label.",
  doc: "Labels of the executors' pods.",
  since: "2.3.0",
};

export const executorAnnotations: PrefixEntry = {
  prefix: "spark.kubernetes.executor.annotation.",
  doc: "Annotations of the executors' pods.",
  since: "2.3.0",
};

export const executorEnv: PrefixEntry = {
  prefix: "spark.executorEnv.",
  doc: "Environment variables of the executors.",
  since: "0.9.0",
};

export const executorNodeSelectors: PrefixEntry = {
  prefix: "spark.kubernetes.executor.node.selector.",
  doc: "Labels that the executors' nodes must have; they win over those for all pods.",
  since: "3.3.0",
};

/** Members: `<name>.amount`, `<name>.vendor`, `<name>.discoveryScript`. */
export const executorResources: PrefixEntry = {
  prefix: "spark.executor.resource.",
  doc: "Custom resources of the executors, such as GPUs.",
  since: "3.0.0",
};

/** Settings that an executor needs before it can ask the driver for the others. Source: Spark SparkConf.isExecutorStartupConf. */
export function isExecutorStartupKey(key: string): boolean {
  return (
    (key.startsWith("spark.auth") && key !== authenticateSecret.key) ||
    key.startsWith("spark.rpc") ||
    key.startsWith("spark.network") ||
    (key.startsWith("spark.ssl") && !key.includes("Password")) ||
    (key.startsWith("spark.") && key.endsWith(".port")) ||
    key.startsWith("spark.port.")
  );
}
