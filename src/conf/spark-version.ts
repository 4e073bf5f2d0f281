import { digits, isMadeOf } from "../values/characters.ts";

/**
 * Supported release lines of Spark.
 *
 * @example
 * ```ts
 * for (const line of sparkLines) console.log(usageText({ line }));
 * ```
 */
export const sparkLines = ["3.5", "4.0", "4.1", "4.2", "4.3"] as const;

/**
 * Supported release line of Spark.
 *
 * @example
 * ```ts
 * const line: SparkLine = "4.3";
 * ```
 */
export type SparkLine = (typeof sparkLines)[number];

/**
 * Release of Spark, e.g. `{ text: "4.3.0", line: "4.3" }`. `text` is the value of the label `spark-version`.
 *
 * @example
 * ```ts
 * const version: SparkVersion = { text: "4.3.0", line: "4.3" };
 * ```
 */
export interface SparkVersion {
  readonly text: string;
  readonly line: SparkLine;
}

/** Newest known release of a line. */
export interface Release {
  /** Version to use when only the line is known. */
  readonly text: string;
  /** Scala version in jar names and in the banner. */
  readonly scala: "2.12" | "2.13";
}

const releases: Readonly<Record<SparkLine, Release>> = {
  "3.5": { text: "3.5.9", scala: "2.12" },
  "4.0": { text: "4.0.5", scala: "2.13" },
  "4.1": { text: "4.1.4", scala: "2.13" },
  "4.2": { text: "4.2.1", scala: "2.13" },
  "4.3": { text: "4.3.0", scala: "2.13" },
};

/** Returns the newest known release of a line. */
export function newestRelease(line: SparkLine): Release {
  return releases[line];
}

/**
 * Differences between release lines at submission.
 *
 * Source: recordings of Apache's client 3.5.9, 4.0.5, 4.1.4, 4.2.1 and 4.3.0.
 */
export interface SparkLineTraits {
  /** Port `spark-connect` of container and service. */
  readonly connectPort: boolean;
  /** `appProtocol: grpc` on the service's port `spark-connect`. */
  readonly connectAppProtocol: boolean;
  /** `{{SPARK_VERSION}}` in the image is replaced. */
  readonly imagePlaceholder: boolean;
  /** `{{APP_ID}}` and `{{EXECUTOR_ID}}` in label values are replaced (in annotations they always are). */
  readonly labelPlaceholders: boolean;
  /** `spark.kubernetes.driver.pod.excludedFeatureSteps` is honoured. */
  readonly excludedFeatureSteps: boolean;
  /** A NetworkPolicy for the executors is created. */
  readonly networkPolicy: boolean;
  /** The Volcano step is in the stock distribution. */
  readonly volcano: boolean;
  /** Messages of typed keys have the form `[INVALID_CONF_VALUE.…] … SQLSTATE: 22022`. */
  readonly conditionMessages: boolean;
  /** The waiting line has a stray `}` after the application's name. */
  readonly strayBraceInWaitingLine: boolean;
  /** `spark.kubernetes.pyspark.pythonVersion` is checked. */
  readonly pythonVersionKey: boolean;
  /** `spark.driver.minMemoryOverhead` is honoured. */
  readonly minMemoryOverhead: boolean;
  /** Access mode of claims created on demand. */
  readonly claimAccessMode: "ReadWriteOnce" | "ReadWriteOncePod";
  /** Labels and annotations of claims, `options.type`, `mount.subPathExpr`, the size check and subPath exclusivity. */
  readonly volumeOptions2025: boolean;
  /** `securityContext.allowPrivilegeEscalation` and the service's `publishNotReadyAddresses` are always written. */
  readonly privilegeEscalation: boolean;
  /** Executors' containers have a resize policy. */
  readonly executorResizePolicy: boolean;
  /** `spark.kubernetes.executor.terminationGracePeriodSeconds` is always written. */
  readonly executorGracePeriod: boolean;
  /** Whether executors reach the driver by its pod's IP; `undefined` if there is no setting for it. */
  readonly driverPodIpForExecutors: boolean | undefined;
  /** Executors get their library path, and the values for a custom log URL, as environment variables. */
  readonly executorVariables2025: boolean;
  /** The client logs the ID that the ResourceManager assigns. Source: Spark 3.5.9 and 4.3.0, yarn.Client. */
  readonly logsAssignedAppId: boolean;
  /** The default Java options of executors are repeated before Spark's own and before the user's. */
  readonly repeatsDefaultJavaOptions: boolean;
  /** The proxy user takes precedence over the variable SPARK_USER. */
  readonly proxyUserWins: boolean;
  /** Files of HADOOP_CONF_DIR and `krb5.conf` must be UTF-8. Earlier lines replace invalid bytes. */
  readonly refusesOtherThanUtf8: boolean;
  /** A warning says that driver credentials take precedence over a service account. */
  readonly credentialsWarning: boolean;
  /** `--extra-properties-file` exists. */
  readonly extraPropertiesFile: boolean;
  /** `-Xmx` is searched at the start of each Java option, not anywhere in the text. */
  readonly javaOptionsByArgument: boolean;
  /** `--verbose` shows the defaults file if no properties file is specified. */
  readonly verboseShowsDefaultsFile: boolean;
  /** `--kill` deletes a pod without checking first whether it exists, even if no namespace is known. */
  readonly killsUnseen: boolean;
  /** A Spark Connect server may run in cluster mode on YARN. */
  readonly connectServerOnYarn: boolean;
  /** Mesos is a master. */
  readonly mesos: boolean;
  /** `k8s:foo` is read as an invalid Kubernetes master. */
  readonly kubernetesMasterByPrefix: boolean;
  /** Sizes may have the suffixes kib, mib, … */
  readonly binarySizeSuffixes: boolean;
  /** Several files in KUBECONFIG are merged. */
  readonly mergesKubeconfigs: boolean;
  /** An unknown context falls back to the current one. */
  readonly unknownContextFallsBack: boolean;
  /** A kubeconfig's `insecure-skip-tls-verify` takes effect regardless of `trust.certificates`. */
  readonly kubeconfigMayTrustAll: boolean;
  /** A failing exec plugin of a kubeconfig ends the submission; otherwise it continues without credentials. */
  readonly failingExecPluginStops: boolean;
  /** The client library (with OkHttp) repeats a request if the connection was closed during it. */
  readonly repeatsCutOffRequests: boolean;
  /** The URL of a watch contains the pod's name before `allowWatchBookmarks`, which error messages show. */
  readonly watchNamesPodFirst: boolean;
  /** `0644` in a template is octal, as in Go; otherwise it is 644. */
  readonly octalTemplateNumbers: boolean;
  /** The driver can use jars without copying them (`spark.kubernetes.jars.avoidDownloadSchemes`); otherwise it copies and serves all jars. */
  readonly leavesJarsInPlace: boolean;
  /** `spark.submit.callSystemExitOnMainExit` is read. */
  readonly exitsAfterMain: boolean;
  /** The address of the submitter's machine (SPARK_LOCAL_IP) is not sent to a standalone master. */
  readonly restKeepsLocalAddress: boolean;
  /** A submission ID must be valid in a URI without escaping. Earlier lines send any ID. */
  readonly restChecksAddress: boolean;
}

// A complete literal: this line is used most, and copying all properties would take more of the startup time.
const spark43 = (): SparkLineTraits => ({
  connectPort: true,
  connectAppProtocol: true,
  imagePlaceholder: true,
  labelPlaceholders: true,
  excludedFeatureSteps: true,
  networkPolicy: true,
  volcano: true,
  conditionMessages: true,
  strayBraceInWaitingLine: false,
  pythonVersionKey: false,
  minMemoryOverhead: true,
  claimAccessMode: "ReadWriteOncePod",
  volumeOptions2025: true,
  privilegeEscalation: true,
  executorResizePolicy: true,
  executorGracePeriod: true,
  driverPodIpForExecutors: true,
  executorVariables2025: true,
  logsAssignedAppId: true,
  repeatsDefaultJavaOptions: false,
  proxyUserWins: true,
  refusesOtherThanUtf8: true,
  credentialsWarning: true,
  extraPropertiesFile: true,
  javaOptionsByArgument: true,
  verboseShowsDefaultsFile: false,
  killsUnseen: false,
  connectServerOnYarn: true,
  mesos: false,
  kubernetesMasterByPrefix: false,
  binarySizeSuffixes: true,
  mergesKubeconfigs: true,
  unknownContextFallsBack: true,
  kubeconfigMayTrustAll: true,
  failingExecPluginStops: false,
  repeatsCutOffRequests: false,
  watchNamesPodFirst: false,
  octalTemplateNumbers: true,
  leavesJarsInPlace: true,
  exitsAfterMain: true,
  restKeepsLocalAddress: true,
  restChecksAddress: true,
});

const spark42 = (): SparkLineTraits => ({
  ...spark43(),
  privilegeEscalation: false,
  driverPodIpForExecutors: false,
  proxyUserWins: false,
  credentialsWarning: false,
  restKeepsLocalAddress: false,
});

const spark41 = (): SparkLineTraits => ({
  ...spark42(),
  connectAppProtocol: false,
  networkPolicy: false,
  volcano: false,
  executorResizePolicy: false,
  extraPropertiesFile: false,
  connectServerOnYarn: false,
  binarySizeSuffixes: false,
});

const spark40 = (): SparkLineTraits => ({
  ...spark41(),
  connectPort: false,
  imagePlaceholder: false,
  excludedFeatureSteps: false,
  conditionMessages: false,
  strayBraceInWaitingLine: true,
  pythonVersionKey: true,
  executorGracePeriod: false,
  driverPodIpForExecutors: undefined,
  repeatsDefaultJavaOptions: true,
  refusesOtherThanUtf8: false,
  kubernetesMasterByPrefix: true,
  exitsAfterMain: false,
});

const spark35 = (): SparkLineTraits => ({
  ...spark40(),
  labelPlaceholders: false,
  strayBraceInWaitingLine: false,
  minMemoryOverhead: false,
  claimAccessMode: "ReadWriteOnce",
  volumeOptions2025: false,
  executorVariables2025: false,
  logsAssignedAppId: false,
  javaOptionsByArgument: false,
  verboseShowsDefaultsFile: true,
  killsUnseen: true,
  mesos: true,
  mergesKubeconfigs: false,
  unknownContextFallsBack: false,
  kubeconfigMayTrustAll: false,
  failingExecPluginStops: true,
  repeatsCutOffRequests: true,
  watchNamesPodFirst: true,
  octalTemplateNumbers: false,
  leavesJarsInPlace: false,
  restChecksAddress: false,
});

const makers: Readonly<Record<SparkLine, () => SparkLineTraits>> = {
  "3.5": spark35,
  "4.0": spark40,
  "4.1": spark41,
  "4.2": spark42,
  "4.3": spark43,
};

const made: Partial<Record<SparkLine, SparkLineTraits>> = {};

/** Newest known line, and the default. */
export const newestLine: SparkLine = "4.3";

/** Returns the traits of a line. They are created on first use: the usage text and the version never need them. */
export function traitsOf(line: SparkLine): SparkLineTraits {
  made[line] ??= makers[line]();
  return made[line];
}

/**
 * Parses `4.3.0`, `4.3.0-SNAPSHOT`, `4.3` or the tag of an image, such as `3.5.9-scala2.12-java17-python3-ubuntu`.
 * A line alone results in its newest known release, and an unsupported line in `undefined`.
 *
 * @example
 * ```ts
 * console.log(parseSparkVersion("3.5.9-scala2.12")?.line);
 * ```
 */
export function parseSparkVersion(text: string): SparkVersion | undefined {
  const exact = sparkLines.find((candidate) => text.startsWith(`${candidate}.`));
  if (exact !== undefined && isMadeOf(text.slice(exact.length + 1), digits) && text.length > exact.length + 1)
    return { line: exact, text };
  const match = /^v?(\d+\.\d+)(\.\d+(?:-(?:SNAPSHOT|preview\d*|rc\d+))?)?(?=$|[-_+])/i.exec(text);
  const line = sparkLines.find((candidate) => candidate === match?.[1]);
  if (match === null || line === undefined) return undefined;
  return { line, text: match[2] === undefined ? releases[line].text : `${line}${match[2]}` };
}
