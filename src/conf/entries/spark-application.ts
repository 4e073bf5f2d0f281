import type { Role } from "../entry.ts";
import { uiProxyBaseKey } from "./spark-ui.ts";

/** Settings that are equivalent to fields of a SparkApplication. */
export const fieldKeys = {
  namespace: "spark.kubernetes.namespace",
  image: "spark.kubernetes.container.image",
  pullPolicy: "spark.kubernetes.container.image.pullPolicy",
  pullSecrets: "spark.kubernetes.container.image.pullSecrets",
  pythonVersion: "spark.kubernetes.pyspark.pythonVersion",
  overheadFactor: "spark.kubernetes.memoryOverheadFactor",
  nodeSelector: "spark.kubernetes.node.selector.",
  hadoop: "spark.hadoop.",
  waitAppCompletion: "spark.kubernetes.submission.waitAppCompletion",
  podName: "spark.kubernetes.driver.pod.name",
  driverMaster: "spark.kubernetes.driver.master",
  serviceLabel: "spark.kubernetes.driver.service.label.",
  serviceAnnotation: "spark.kubernetes.driver.service.annotation.",
  instances: "spark.executor.instances",
  deleteOnTermination: "spark.kubernetes.executor.deleteOnTermination",
  uiPort: "spark.ui.port",
  proxyBase: uiProxyBaseKey,
  proxyRedirectUri: "spark.ui.proxyRedirectUri",
  metricsConf: "spark.metrics.conf",
  metricsNamespace: "spark.metrics.namespace",
  pysparkMemory: "spark.executor.pyspark.memory",
  offHeapEnabled: "spark.memory.offHeap.enabled",
  offHeapSize: "spark.memory.offHeap.size",
  dynamic: {
    enabled: "spark.dynamicAllocation.enabled",
    initialExecutors: "spark.dynamicAllocation.initialExecutors",
    minExecutors: "spark.dynamicAllocation.minExecutors",
    maxExecutors: "spark.dynamicAllocation.maxExecutors",
    shuffleTrackingEnabled: "spark.dynamicAllocation.shuffleTracking.enabled",
    shuffleTrackingTimeout: "spark.dynamicAllocation.shuffleTracking.timeout",
  },
  driver: { ...roleKeys("driver"), env: "spark.kubernetes.driverEnv." },
  executor: { ...roleKeys("executor"), env: "spark.executorEnv." },
} as const;

function roleKeys(role: Role) {
  return {
    image: `spark.kubernetes.${role}.container.image`,
    cores: `spark.${role}.cores`,
    coreRequest: `spark.kubernetes.${role}.request.cores`,
    coreLimit: `spark.kubernetes.${role}.limit.cores`,
    memory: `spark.${role}.memory`,
    memoryOverhead: `spark.${role}.memoryOverhead`,
    serviceAccount: `spark.kubernetes.authenticate.${role}.serviceAccountName`,
    javaOptions: `spark.${role}.extraJavaOptions`,
    label: `spark.kubernetes.${role}.label.`,
    annotation: `spark.kubernetes.${role}.annotation.`,
    secret: `spark.kubernetes.${role}.secrets.`,
    secretKeyRef: `spark.kubernetes.${role}.secretKeyRef.`,
    volume: `spark.kubernetes.${role}.volumes.`,
    nodeSelector: `spark.kubernetes.${role}.node.selector.`,
    schedulerName: `spark.kubernetes.${role}.scheduler.name`,
    template: `spark.kubernetes.${role}.podTemplateFile`,
    templateContainer: `spark.kubernetes.${role}.podTemplateContainerName`,
  };
}

/** Settings that a SparkApplication must not have, because fields or the operator determine them. */
export const reservedKeys: readonly string[] = [
  "spark.master",
  fieldKeys.driverMaster,
  fieldKeys.image,
  ...[fieldKeys.driver, fieldKeys.executor].flatMap((keys) => [keys.image, keys.serviceAccount]),
  ...["", "driver.", "executor."].flatMap((role) =>
    ["oauthToken", "oauthTokenFile"].map((name) => `spark.kubernetes.authenticate.${role}${name}`),
  ),
];

/** Prefix of the settings of resources such as GPUs that executors request. */
export const executorResources = "spark.executor.resource.";

/** Settings that are equivalent to fields of Firesteel's own format, besides those of a SparkApplication. */
export const ownKeys = {
  appName: "spark.app.name",
  python: "spark.pyspark.python",
} as const;

/** Settings that are equivalent to options of spark-submit, and families that belong to a submission. */
export const optionKeys = {
  lists: {
    jars: "spark.jars",
    files: "spark.files",
    archives: "spark.archives",
    pyFiles: "spark.submit.pyFiles",
    packages: "spark.jars.packages",
    excludePackages: "spark.jars.excludes",
    repositories: "spark.jars.repositories",
  },
  submission: {
    name: "spark.app.name",
    master: "spark.master",
    deployMode: "spark.submit.deployMode",
  },
  sparkVersion: "spark.firesteel.sparkVersion",
  own: "spark.firesteel.",
  submitter: "spark.kubernetes.authenticate.submission.",
} as const;
