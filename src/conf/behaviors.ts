/** Firesteel's behavior where it differs from Apache's client. Each field has a row in docs/compatibility.md. */
const firesteelBehaviors = {
  // Command line and output
  /** Exit code of a waiting submission, of `--kill` and of `--status`. */
  exitCode: "driver",
  /** Form of errors: `Error:` and `Hint:` lines, or Spark's exceptions without hints. */
  errorText: "plain",
  /** Number of problems that a rejected command line reports. */
  issueReport: "all",
  /** Time at which settings are checked that Spark reads late or never. */
  settingChecks: "early",
  /** Settings that no Spark of the line reads: warned about, or passed on silently. */
  unknownSettings: "warn",
  /** Settings and options of the first releases for Kubernetes (2017): replaced by the current ones, or passed on. */
  firstReleaseKeys: "replaced",
  /** Secrets in arguments and addresses of shown commands and of `--verbose`. */
  redaction: "all",
  /** Control characters of settings in the output of `--verbose`: escaped, or printed as they are. */
  controlCharacters: "escaped",
  /** An unknown option of `run-example`: rejected, or taken for the example's class. */
  exampleOptions: "checked",
  /** Command lines that only Spark's JVM can check: rejected, or delegated to the JVM of SPARK_HOME. */
  unservedCommands: "reject",
  /** Text of `--kill` and `--status` when no driver matches. */
  notFoundText: "detailed",

  // Resolving a submission
  /** Addresses in `k8s://` masters at which no server can be. */
  masterAddress: "checked",
  /** Lookup of the main class in a jar's manifest. */
  mainClassLookup: "anywhere",
  /** Documents that are accepted as a pod template. */
  templateKind: "pod",
  /** Merge keys (`<<`) in a template. */
  templateMergeKeys: "merged",
  /** Numbers such as `0644` in a template. */
  templateNumbers: "octal",
  /** Paths of templates with spaces, and unsupported schemes. */
  templatePaths: "plain",
  /** Availability of Volcano's feature step. */
  volcanoStep: "always",
  /** Size limit of the files of HADOOP_CONF_DIR. */
  hadoopConfSize: "limited",
  /** Files of HADOOP_CONF_DIR that are not UTF-8: kept as binary data, or changed or rejected. */
  binaryHadoopConf: "kept",
  /** Mount path of a `krb5.conf` with another file name. */
  krb5Mount: "always",
  /** The hint about `krb5.conf`: logged if Kerberos is used, or always. */
  kerberosHint: "whenUsed",

  // Local files
  /** Local files without an upload path: transported to the pods, or rejected. */
  localFiles: "transported",
  /** An empty upload path: treated as missing, or as the root directory. */
  emptyUploadPath: "missing",
  /** Upload paths with a scheme that is read-only. */
  uploadSchemes: "writable",
  /** Several files of one name: renamed or rejected, or overwritten. */
  uploadNames: "unique",
  /** Name of a local `--files` entry with a fragment. */
  fileFragments: "kept",
  /** A local R application: uploaded, or left where it is. */
  rApplications: "uploaded",
  /** Missing local files: all reported before an upload, or the first during it. */
  missingFiles: "early",
  /** Uploads of a failed or deleted submission. */
  failedUploads: "removed",
  /** A request to the API before files are uploaded. */
  apiCheck: "beforeUpload",
  /** Packages of a submission to Kubernetes in cluster mode: resolved before it, or by the driver. */
  packages: "submission",

  // Waiting for a driver on Kubernetes
  /** Reports about a driver that is not making progress, and hints for rejected requests. */
  diagnosis: "live",
  /** The status of a waiting driver: one line when it changes and every 30 s, or Spark's lines at its interval. */
  statusLines: "onChange",
  /** Retries of a broken or rejected watch. */
  watchRetries: "untilDeadline",
  /** Waiting without permission to watch: polls, or fails. */
  watchPermission: "poll",
  /** Order of the container statuses of an ended driver. */
  finalStatuses: "driverLast",
  /** `spark.submit.callSystemExitOnMainExit`: without effect, or prints Spark's exit message. */
  mainExit: "ignored",

  // Operations on drivers
  /** Submission IDs that are application IDs: the application's driver, or a pod's name. */
  operationIds: "application",
  /** Namespace of an operation without one: the submission's setting, or an error. */
  operationNamespace: "setting",
  /** `--kill` of several drivers of which one is rejected: continues, or stops. */
  operationErrors: "continue",
  /** `--kill` of a missing pod on Spark 3.5. */
  killMissing: "check",
  /** `--kill` and `--status` with `--master yarn`. */
  yarnOperations: "supported",

  // Access to the Kubernetes API
  /** Contexts, files and fields of a kubeconfig: as kubectl reads them, or as Spark's client library does. */
  kubeconfig: "kubectl",
  /** Order of credentials, files and settings that name the same account. */
  credentials: "kubectl",
  /** A failed credential program or token refresh: rejected, or ignored. */
  credentialErrors: "reject",
  /** Order and exemptions of proxies. */
  proxy: "kubectl",
  /** Number and delays of retried API requests. */
  requestRetries: "byReason",
  /** Names with `?`, `#` or `/` in request paths: escaped, or written as they are. */
  resourceNames: "escaped",

  // Standalone and Mesos
  /** Use of a standalone master's REST gateway: unless disabled, or if enabled. */
  restGateway: "unlessDisabled",
  /** `spark.driver.supervise` without `--supervise`. */
  supervise: "setting",
  /** A creation whose response was lost: not repeated, or repeated. */
  restCreation: "once",
  /** Unexpected responses of a gateway. */
  restResponses: "explained",
  /** Submission IDs in request paths: encoded, or as they are. */
  restIds: "encoded",
  /** `spark.standalone.submit.waitAppCompletion` with a REST gateway. */
  standaloneWait: "supported",

  // Local drivers
  /** `k8s://embedded` in client mode: the embedded cluster, or a server of that name. */
  embeddedClientMode: "supported",
  /** Warnings about executors that cannot reach a local driver. */
  clientModeAdvice: "warn",
  /** Lookup of the Java for local drivers. */
  javaLookup: "anywhere",
  /** Examples of a distribution without a file `RELEASE`. */
  exampleJars: "anyTree",

  // YARN
  /** Backquotes and backslashes in arguments. */
  yarnEscapes: "all",
} as const;

/**
 * Behaviors that differ between Firesteel and Apache's client (`spark`), beside the traits of the Spark lines. Resolved once
 * per program; a function takes only the fields it uses.
 */
export type Behaviors = {
  readonly [B in keyof typeof firesteelBehaviors]: (typeof firesteelBehaviors)[B] | "spark";
};

/** Behaviors that the environment selects: Spark's with `FIRESTEEL_STRICT=1`, otherwise Firesteel's. */
export function behaviorsOf(env: Readonly<Record<string, string | undefined>>): Behaviors {
  return env["FIRESTEEL_STRICT"] === "1" ? sparkBehaviors() : firesteelBehaviors;
}

function sparkBehaviors(): Behaviors {
  const behaviors: { -readonly [B in keyof Behaviors]: Behaviors[B] } = { ...firesteelBehaviors };
  for (const name in behaviors) if (isBehavior(name)) behaviors[name] = "spark";
  return behaviors;
}

function isBehavior(name: string): name is keyof Behaviors {
  return name in firesteelBehaviors;
}
