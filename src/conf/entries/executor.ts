import { isDnsSubdomain } from "../../values/dns-name.ts";
import { entry, optionalEntry, type PrefixEntry } from "../entry.ts";
import { bytes, checked, integer, text } from "../kinds.ts";

export const executorMemory = entry(bytes("MiB"), {
  key: "spark.executor.memory",
  doc: "Heap of an executor, in MiB unless a unit is given.",
  since: "0.7.0",
  default: "1g",
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
