import { isDnsSubdomain } from "../../values/dns-name.ts";
import { entry, fallbackEntry, optionalEntry, type PrefixEntry } from "../entry.ts";
import { boolean, bytes, checked, double, duration, integer, text } from "../kinds.ts";
import { allowPrivilegeEscalation } from "./driver.ts";

export const executorMemory = entry(bytes("MiB"), {
  key: "spark.executor.memory",
  doc: "Heap of an executor. The default unit is MiB.",
  since: "0.7.0",
  default: "1g",
});

export const executorMemoryOverhead = optionalEntry(bytes("MiB"), {
  key: "spark.executor.memoryOverhead",
  doc: "Memory of an executor's container besides the heap, instead of the computed overhead. The default unit is MiB.",
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
  doc: "Minimum of an executor's computed overhead. The default unit is MiB.",
  since: "4.0.0",
  default: "384m",
});

export const executorPysparkMemory = optionalEntry(bytes("MiB"), {
  key: "spark.executor.pyspark.memory",
  doc: "Memory for Python in an executor. The default unit is MiB.",
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
  doc: "Off-heap memory of executors. The default unit is bytes.",
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
  doc: "CPU request of an executor's container, a Kubernetes quantity.",
  since: "2.4.0",
});

export const executorLimitCores = optionalEntry(text, {
  key: "spark.kubernetes.executor.limit.cores",
  doc: "CPU limit of an executor's container, a Kubernetes quantity.",
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

/** Grace period in seconds. */
export const executorTerminationGracePeriod = entry(
  checked(duration("s"), (seconds) => seconds >= 0, "terminationGracePeriodSeconds must be non-negative"),
  {
    key: "spark.kubernetes.executor.terminationGracePeriodSeconds",
    doc: "Grace period of an executor's pod. The default unit is seconds.",
    since: "4.1.0",
    default: "30s",
  },
);

/** The default is `true` since Spark 4.3 and `false` before. */
export const executorUseDriverPodIp = optionalEntry(boolean, {
  key: "spark.kubernetes.executor.useDriverPodIP",
  doc: "Executors connect to the IP address of the driver's pod instead of its service. The default is `true` since Spark 4.3.",
  since: "4.1.0",
});

export const executorAllowPrivilegeEscalation = fallbackEntry(allowPrivilegeEscalation, {
  key: "spark.kubernetes.executor.securityContext.allowPrivilegeEscalation",
  doc: "Whether processes of the executors' containers may gain more privileges than their parents.",
  since: "4.3.0",
});

export const executorLogUrl = optionalEntry(text, {
  key: "spark.ui.custom.executor.log.url",
  doc: "URL of the executors' logs for the application's web pages.",
  since: "3.0.0",
});

export const decommissionScript = entry(text, {
  key: "spark.kubernetes.decommission.script",
  doc: "Script that an executor's container runs before it stops, if decommissioning is enabled.",
  since: "3.2.0",
  default: "/opt/decom.sh",
});

export const authenticateEnabled = entry(boolean, {
  key: "spark.authenticate",
  doc: "Driver and executors authenticate to each other with a shared secret.",
  since: "1.0.0",
  default: "false",
});

export const authenticateSecret = optionalEntry(text, {
  key: "spark.authenticate.secret",
  doc: "The shared secret on clusters other than Kubernetes, where the driver generates it.",
  since: "1.0.0",
});

export const authenticateExecutorSecretFile = optionalEntry(text, {
  key: "spark.authenticate.secret.executor.file",
  doc: "File with the shared secret for executors.",
  since: "3.0.0",
  alternatives: ["spark.authenticate.secret.file"],
});

/** Prefix of pod names, which continue with `-exec-` and a number of at most ten digits. */
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
