/** Setting, or family of settings if it ends with a dot, that a submission only passes on. */
export interface DriverSideKey {
  readonly key: string;
  /** First release line that has it, e.g. `4.1`; unsupported older lines count as the oldest supported one. */
  readonly since: string;
}

/**
 * Settings that only Spark's scheduler backend for Kubernetes reads, in the driver. They are listed to distinguish them from
 * misspelled settings.
 *
 * Source: the jars spark-kubernetes and spark-core of all supported lines.
 */
export const driverSideKeys: readonly DriverSideKey[] = [
  ...family("spark.kubernetes.allocation.", [
    ["batch.size"],
    ["driver.readinessTimeout"],
    ["executor.timeout"],
    ["maximum", "4.1"],
    ["maxPendingPods"],
    ["maxPendingPodsPerRp", "4.1"],
    ["pods.allocator"],
    ["recoveryMode.enabled", "4.2"],
  ]),
  ...["spark.kubernetes.authenticate.", "spark.kubernetes.authenticate.executor."].flatMap((prefix) =>
    family(prefix, [["caCertFile"], ["clientCertFile"], ["clientKeyFile"], ["oauthToken"], ["oauthTokenFile"]]),
  ),
  ...family("spark.kubernetes.authenticate.", [["driver.oauthTokenFile"], ["executor.serviceAccountName"]]),
  ...family("spark.kubernetes.driver.", [
    ["connectionTimeout"],
    ["ownPersistentVolumeClaim"],
    ["requestTimeout"],
    ["resourceNamePrefix"],
    ["reusePersistentVolumeClaim"],
    ["service.deleteOnTermination"],
    ["waitToReusePersistentVolumeClaim"],
  ]),
  ...family("spark.kubernetes.executor.", [
    ["apiPollingInterval"],
    ["checkAllContainers"],
    ["decommissionLabel"],
    ["decommissionLabelValue"],
    ["deletedExecutorsCacheTimeout", "4.1"],
    ["deleteOnTermination"],
    ["disableConfigMap"],
    ["enableApiPolling"],
    ["enableApiWatcher"],
    ["enablePollingWithResourceVersion"],
    ["eventProcessingInterval"],
    ["minTasksPerExecutorBeforeRolling"],
    ["missingPodDetectDelta"],
    ["node.selector."],
    ["podDeletionCost", "4.2"],
    ...([
      ["pvc.resizeFactor", "4.2"],
      ["pvc.resizeInterval", "4.2"],
      ["pvc.resizeThreshold", "4.2"],
    ] as const),
    ...([
      ["resizeFactor", "4.2"],
      ["resizeInterval", "4.2"],
      ["resizeThreshold", "4.2"],
    ] as const),
    ["rollInterval"],
    ["rollPolicy"],
    ["scheduler.name"],
    ["securityContext.allowPrivilegeEscalation", "4.3"],
    ["terminationGracePeriodSeconds", "4.1"],
    ["useDriverPodIP", "4.1"],
  ]),
  ...family("spark.kubernetes.", [
    ["decommission.script"],
    ["dynamicAllocation.deleteGracePeriod"],
    ["executorSnapshotsSubscribersShutdownGracePeriod"],
    ["setSubmitTimeInDriver"],
  ]),
];

/** Removed settings, with the first line that does not read them. */
export const removedKeys: Readonly<Record<string, string>> = {
  "spark.kubernetes.pyspark.pythonVersion": "4.1",
};

function family(
  prefix: string,
  members: readonly (readonly [name: string, since?: string])[],
): readonly DriverSideKey[] {
  return members.map(([name, since = "3.5"]) => ({ key: `${prefix}${name}`, since }));
}
