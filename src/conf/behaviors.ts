/**
 * Behaviors that differ between Firesteel and Apache's client, beside the traits of the Spark lines. Resolved once per
 * program; a function takes only the fields it uses. `spark` is the behavior of Apache's client.
 *
 * Each field is documented in a row of docs/compatibility.md.
 */
export interface Behaviors {
  // Command line and output
  /** Exit code of a waiting submission, of `--kill` and of `--status`. */
  readonly exitCode: "driver" | "spark";
  /** Form of errors: `Error:` and `Hint:` lines, or Spark's exceptions without hints. */
  readonly errorText: "plain" | "spark";
  /** Number of problems that a rejected command line reports. */
  readonly issueReport: "all" | "spark";
  /** Time at which settings are checked that Spark reads late or never. */
  readonly settingChecks: "early" | "spark";
  /** Settings that no Spark of the line reads: warned about, or passed on silently. */
  readonly unknownSettings: "warn" | "spark";
  /** Secrets in arguments and addresses of shown commands and of `--verbose`. */
  readonly redaction: "all" | "spark";
  /** An unknown option of `run-example`: rejected, or taken for the example's class. */
  readonly exampleOptions: "checked" | "spark";
  /** Command lines that only Spark's JVM can check: rejected, or delegated to the JVM of SPARK_HOME. */
  readonly unservedCommands: "reject" | "spark";
  /** Text of `--kill` and `--status` when no driver matches. */
  readonly notFoundText: "detailed" | "spark";

  // Resolving a submission
  /** Addresses in `k8s://` masters at which no server can be. */
  readonly masterAddress: "checked" | "spark";
  /** Lookup of the main class in a jar's manifest. */
  readonly mainClassLookup: "anywhere" | "spark";
  /** Documents that are accepted as a pod template. */
  readonly templateKind: "pod" | "spark";
  /** Merge keys (`<<`) in a template. */
  readonly templateMergeKeys: "merged" | "spark";
  /** Numbers such as `0644` in a template. */
  readonly templateNumbers: "octal" | "spark";
  /** Paths of templates with spaces, and unsupported schemes. */
  readonly templatePaths: "plain" | "spark";
  /** Availability of Volcano's feature step. */
  readonly volcanoStep: "always" | "spark";
  /** Size limit of the files of HADOOP_CONF_DIR. */
  readonly hadoopConfSize: "limited" | "spark";
  /** Files of HADOOP_CONF_DIR that are not UTF-8: kept as binary data, or changed or rejected. */
  readonly binaryHadoopConf: "kept" | "spark";
  /** Mount path of a `krb5.conf` with another file name. */
  readonly krb5Mount: "always" | "spark";
  /** The hint about `krb5.conf`: logged if Kerberos is used, or always. */
  readonly kerberosHint: "whenUsed" | "spark";

  // Local files
  /** Local files without an upload path: transported to the pods, or rejected. */
  readonly localFiles: "transported" | "spark";
  /** An empty upload path: treated as missing, or as the root directory. */
  readonly emptyUploadPath: "missing" | "spark";
  /** Upload paths with a scheme that is read-only. */
  readonly uploadSchemes: "writable" | "spark";
  /** Several files of one name: renamed or rejected, or overwritten. */
  readonly uploadNames: "unique" | "spark";
  /** Name of a local `--files` entry with a fragment. */
  readonly fileFragments: "kept" | "spark";
  /** A local R application: uploaded, or left where it is. */
  readonly rApplications: "uploaded" | "spark";
  /** Missing local files: all reported before an upload, or the first during it. */
  readonly missingFiles: "early" | "spark";
  /** Uploads of a failed or deleted submission. */
  readonly failedUploads: "removed" | "spark";
  /** A request to the API before files are uploaded. */
  readonly apiCheck: "beforeUpload" | "spark";

  // Waiting for a driver on Kubernetes
  /** Reports about a driver that is not making progress, and hints for rejected requests. */
  readonly diagnosis: "live" | "spark";
  /** The status of a waiting driver: one line when it changes and every 30 s, or Spark's lines at its interval. */
  readonly statusLines: "onChange" | "spark";
  /** Retries of a broken or rejected watch. */
  readonly watchRetries: "untilDeadline" | "spark";
  /** Waiting without permission to watch: polls, or fails. */
  readonly watchPermission: "poll" | "spark";
  /** Order of the container statuses of an ended driver. */
  readonly finalStatuses: "driverLast" | "spark";
  /** `spark.submit.callSystemExitOnMainExit`: without effect, or prints Spark's exit message. */
  readonly mainExit: "ignored" | "spark";

  // Operations on drivers
  /** Submission IDs that are application IDs: the application's driver, or a pod's name. */
  readonly operationIds: "application" | "spark";
  /** Namespace of an operation without one: the submission's setting, or an error. */
  readonly operationNamespace: "setting" | "spark";
  /** `--kill` of several drivers of which one is rejected: continues, or stops. */
  readonly operationErrors: "continue" | "spark";
  /** `--kill` of a missing pod on Spark 3.5. */
  readonly killMissing: "check" | "spark";
  /** `--kill` and `--status` with `--master yarn`. */
  readonly yarnOperations: "supported" | "spark";

  // Access to the Kubernetes API
  /** Contexts, files and fields of a kubeconfig: as kubectl reads them, or as Spark's client library does. */
  readonly kubeconfig: "kubectl" | "spark";
  /** Order of credentials, files and settings that name the same account. */
  readonly credentials: "kubectl" | "spark";
  /** A failed credential program or token refresh: rejected, or ignored. */
  readonly credentialErrors: "reject" | "spark";
  /** Order and exemptions of proxies. */
  readonly proxy: "kubectl" | "spark";
  /** Number and delays of retried API requests. */
  readonly requestRetries: "byReason" | "spark";
  /** Names with `?`, `#` or `/` in request paths: escaped, or written as they are. */
  readonly resourceNames: "escaped" | "spark";

  // Standalone and Mesos
  /** Use of a standalone master's REST gateway: unless disabled, or if enabled. */
  readonly restGateway: "unlessDisabled" | "spark";
  /** `spark.driver.supervise` without `--supervise`. */
  readonly supervise: "setting" | "spark";
  /** A creation whose response was lost: not repeated, or repeated. */
  readonly restCreation: "once" | "spark";
  /** Unexpected responses of a gateway. */
  readonly restResponses: "explained" | "spark";
  /** Submission IDs in request paths: encoded, or as they are. */
  readonly restIds: "encoded" | "spark";
  /** `spark.standalone.submit.waitAppCompletion` with a REST gateway. */
  readonly standaloneWait: "supported" | "spark";

  // Local drivers
  /** `k8s://embedded` in client mode: the embedded cluster, or a server of that name. */
  readonly embeddedClientMode: "supported" | "spark";
  /** Warnings about executors that cannot reach a local driver. */
  readonly clientModeAdvice: "warn" | "spark";
  /** Lookup of the Java for local drivers. */
  readonly javaLookup: "anywhere" | "spark";
  /** Examples of a distribution without a file `RELEASE`. */
  readonly exampleJars: "anyTree" | "spark";

  // YARN
  /** Backquotes and backslashes in arguments. */
  readonly yarnEscapes: "all" | "spark";
}

const firesteelBehaviors: Behaviors = {
  exitCode: "driver",
  errorText: "plain",
  issueReport: "all",
  settingChecks: "early",
  unknownSettings: "warn",
  redaction: "all",
  exampleOptions: "checked",
  unservedCommands: "reject",
  notFoundText: "detailed",
  masterAddress: "checked",
  mainClassLookup: "anywhere",
  templateKind: "pod",
  templateMergeKeys: "merged",
  templateNumbers: "octal",
  templatePaths: "plain",
  volcanoStep: "always",
  hadoopConfSize: "limited",
  binaryHadoopConf: "kept",
  krb5Mount: "always",
  kerberosHint: "whenUsed",
  localFiles: "transported",
  emptyUploadPath: "missing",
  uploadSchemes: "writable",
  uploadNames: "unique",
  fileFragments: "kept",
  rApplications: "uploaded",
  missingFiles: "early",
  failedUploads: "removed",
  apiCheck: "beforeUpload",
  diagnosis: "live",
  statusLines: "onChange",
  watchRetries: "untilDeadline",
  watchPermission: "poll",
  finalStatuses: "driverLast",
  mainExit: "ignored",
  operationIds: "application",
  operationNamespace: "setting",
  operationErrors: "continue",
  killMissing: "check",
  yarnOperations: "supported",
  kubeconfig: "kubectl",
  credentials: "kubectl",
  credentialErrors: "reject",
  proxy: "kubectl",
  requestRetries: "byReason",
  resourceNames: "escaped",
  restGateway: "unlessDisabled",
  supervise: "setting",
  restCreation: "once",
  restResponses: "explained",
  restIds: "encoded",
  standaloneWait: "supported",
  embeddedClientMode: "supported",
  clientModeAdvice: "warn",
  javaLookup: "anywhere",
  exampleJars: "anyTree",
  yarnEscapes: "all",
};

const sparkBehaviors: Behaviors = {
  exitCode: "spark",
  errorText: "spark",
  issueReport: "spark",
  settingChecks: "spark",
  unknownSettings: "spark",
  redaction: "spark",
  exampleOptions: "spark",
  unservedCommands: "spark",
  notFoundText: "spark",
  masterAddress: "spark",
  mainClassLookup: "spark",
  templateKind: "spark",
  templateMergeKeys: "spark",
  templateNumbers: "spark",
  templatePaths: "spark",
  volcanoStep: "spark",
  hadoopConfSize: "spark",
  binaryHadoopConf: "spark",
  krb5Mount: "spark",
  kerberosHint: "spark",
  localFiles: "spark",
  emptyUploadPath: "spark",
  uploadSchemes: "spark",
  uploadNames: "spark",
  fileFragments: "spark",
  rApplications: "spark",
  missingFiles: "spark",
  failedUploads: "spark",
  apiCheck: "spark",
  diagnosis: "spark",
  statusLines: "spark",
  watchRetries: "spark",
  watchPermission: "spark",
  finalStatuses: "spark",
  mainExit: "spark",
  operationIds: "spark",
  operationNamespace: "spark",
  operationErrors: "spark",
  killMissing: "spark",
  yarnOperations: "spark",
  kubeconfig: "spark",
  credentials: "spark",
  credentialErrors: "spark",
  proxy: "spark",
  requestRetries: "spark",
  resourceNames: "spark",
  restGateway: "spark",
  supervise: "spark",
  restCreation: "spark",
  restResponses: "spark",
  restIds: "spark",
  standaloneWait: "spark",
  embeddedClientMode: "spark",
  clientModeAdvice: "spark",
  javaLookup: "spark",
  exampleJars: "spark",
  yarnEscapes: "spark",
};

/** Behaviors that the environment selects: Spark's with `FIRESTEEL_STRICT=1`, otherwise Firesteel's. */
export function behaviorsOf(env: Readonly<Record<string, string | undefined>>): Behaviors {
  return env["FIRESTEEL_STRICT"] === "1" ? sparkBehaviors : firesteelBehaviors;
}
