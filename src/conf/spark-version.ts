import { digits, isMadeOf } from "../values/characters.ts";

/** The release lines of Spark that we speak. */
export const sparkLines = ["3.5", "4.0", "4.1", "4.2", "4.3"] as const;

/** One of them. */
export type SparkLine = (typeof sparkLines)[number];

/** A release, e.g. `{ text: "4.3.0", line: "4.3" }`. `text` is what the label `spark-version` says. */
export interface SparkVersion {
  readonly text: string;
  readonly line: SparkLine;
}

/** What is known of each release of a line. */
export interface Release {
  /** The release we speak when only the line is known. */
  readonly text: string;
  /** Scala in jar names and in the banner. */
  readonly scala: "2.12" | "2.13";
}

const releases: Readonly<Record<SparkLine, Release>> = {
  "3.5": { text: "3.5.9", scala: "2.12" },
  "4.0": { text: "4.0.5", scala: "2.13" },
  "4.1": { text: "4.1.4", scala: "2.13" },
  "4.2": { text: "4.2.1", scala: "2.13" },
  "4.3": { text: "4.3.0", scala: "2.13" },
};

/** The newest release of a line that we know. */
export function newestRelease(line: SparkLine): Release {
  return releases[line];
}

/**
 * What a line does otherwise than its neighbours, at submission.
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
  /** Access mode of claims made on demand. */
  readonly claimAccessMode: "ReadWriteOnce" | "ReadWriteOncePod";
  /** Labels and annotations of claims, `options.type`, `mount.subPathExpr`, the size check and subPath exclusivity. */
  readonly volumeOptions2025: boolean;
  /** `securityContext.allowPrivilegeEscalation` and the service's `publishNotReadyAddresses` are always written. */
  readonly privilegeEscalation: boolean;
  /** Executors' pods say how their containers are resized. */
  readonly executorResizePolicy: boolean;
  /** `spark.kubernetes.executor.terminationGracePeriodSeconds` is always written. */
  readonly executorGracePeriod: boolean;
  /** Whether executors reach the driver by its pod's IP; `undefined` where that cannot be chosen. */
  readonly driverPodIpForExecutors: boolean | undefined;
  /** Executors get their library path, and what a custom URL of their logs needs, as variables. */
  readonly executorVariables2025: boolean;
  /** The default Java options of executors come again before Spark's own and before the user's. */
  readonly repeatsDefaultJavaOptions: boolean;
  /** The proxy user wins over the variable SPARK_USER. */
  readonly proxyUserWins: boolean;
  /** A file of HADOOP_CONF_DIR, or a `krb5.conf`, must be UTF-8; before, what is not is replaced. */
  readonly refusesOtherThanUtf8: boolean;
  /** Driver credentials that win over a service account are warned of. */
  readonly credentialsWarning: boolean;
  /** `--extra-properties-file` exists. */
  readonly extraPropertiesFile: boolean;
  /** `-Xmx` is looked for at the beginning of each word of the Java options, not anywhere in them. */
  readonly javaOptionsByWord: boolean;
  /** `--verbose` shows the defaults file where no properties file is given. */
  readonly verboseShowsDefaultsFile: boolean;
  /** `--kill` deletes a pod without looking first whether it is there, also where no namespace is known. */
  readonly killsUnseen: boolean;
  /** A Spark Connect server may run in cluster mode on YARN. */
  readonly connectServerOnYarn: boolean;
  /** Mesos is a master. */
  readonly mesos: boolean;
  /** `k8s:foo` is taken for a Kubernetes master and refused as such. */
  readonly kubernetesMasterByPrefix: boolean;
  /** Sizes may end in kib, mib, … */
  readonly binarySizeSuffixes: boolean;
  /** Several files in KUBECONFIG are merged. */
  readonly mergesKubeconfigs: boolean;
  /** An unknown context falls back to the current one. */
  readonly unknownContextFallsBack: boolean;
  /** A kubeconfig's `insecure-skip-tls-verify` counts, whatever `trust.certificates` says. */
  readonly kubeconfigMayTrustAll: boolean;
  /** A failing credential program of a kubeconfig ends the submission; else it goes on without credentials. */
  readonly failingExecPluginStops: boolean;
  /** The client library (with OkHttp) sends a request again when the connection was closed under it. */
  readonly repeatsCutOffRequests: boolean;
  /** A watch names the pod before it asks for bookmarks, which a refusal's words show. */
  readonly watchNamesPodFirst: boolean;
  /** `0644` in a template is octal, as in Go; else it is 644. */
  readonly octalTemplateNumbers: boolean;
  /** The driver can leave jars where they are (`spark.kubernetes.jars.avoidDownloadSchemes`); else it copies all, `local:` ones too, and serves the copies. */
  readonly leavesJarsInPlace: boolean;
  /** `spark.submit.callSystemExitOnMainExit` is read. */
  readonly exitsAfterMain: boolean;
  /** An address of the submitter's machine (SPARK_LOCAL_IP) does not travel to a standalone master. */
  readonly restKeepsLocalAddress: boolean;
  /** An id of a submission must be part of a URI as it stands; before, it was sent whatever it is. */
  readonly restChecksAddress: boolean;
}

// Written whole, for it is spoken most, and a copy of so many properties costs a start more than all of them.
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
  repeatsDefaultJavaOptions: false,
  proxyUserWins: true,
  refusesOtherThanUtf8: true,
  credentialsWarning: true,
  extraPropertiesFile: true,
  javaOptionsByWord: true,
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
  javaOptionsByWord: false,
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

/** The newest line we know; spoken when nothing tells. */
export const newestLine: SparkLine = "4.3";

/** What a line does; made when it is first asked for, which usage text and version never do. */
export function traitsOf(line: SparkLine): SparkLineTraits {
  made[line] ??= makers[line]();
  return made[line];
}

/**
 * Reads `4.3.0`, `4.3.0-SNAPSHOT`, `4.3` or `3.5.9-scala2.12-java17-python3-ubuntu` (an image's tag).
 * A line alone gives the newest release of it that we know; another line gives `undefined`.
 */
export function parseSparkVersion(text: string): SparkVersion | undefined {
  const plain = sparkLines.find((candidate) => text.startsWith(`${candidate}.`));
  if (plain !== undefined && isMadeOf(text.slice(plain.length + 1), digits) && text.length > plain.length + 1)
    return { line: plain, text };
  const match = /^v?(\d+\.\d+)(\.\d+(?:-(?:SNAPSHOT|preview\d*|rc\d+))?)?(?=$|[-_+])/i.exec(text);
  const line = sparkLines.find((candidate) => candidate === match?.[1]);
  if (match === null || line === undefined) return undefined;
  return { line, text: match[2] === undefined ? releases[line].text : `${line}${match[2]}` };
}
