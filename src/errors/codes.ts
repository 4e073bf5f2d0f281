import { define, type ErrorCodeEntry } from "./error-code-entry.ts";
import { usageCodes } from "./usage-codes.ts";

const noSuchElement = "java.util.NoSuchElementException";
const sparkException = "org.apache.spark.SparkException";
const illegalArgument = "java.lang.IllegalArgumentException";
/** What Apache's client throws when the API refuses or is not reached. */
const kubernetesException = "io.fabric8.kubernetes.client.KubernetesClientException";

/** Where Apache's client of standalone masters lives. */
const restPackage = "org.apache.spark.deploy.rest";
const waitingForResponse = "Exception while waiting for response";

const submissionIdShape = "A submission id is NAMESPACE:POD, or POD; a * may end it.";

interface InvalidValue {
  readonly key: string;
  readonly value: string;
  readonly requirement: string;
}

/** The form of Spark's messages about settings since 4.1. */
function invalidValue(condition: string, { key, value, requirement }: InvalidValue): string {
  return `[INVALID_CONF_VALUE.${condition}] The value '${value}' in the config "${key}" is invalid. ${requirement} SQLSTATE: 22022`;
}

/** What to do about what a server of Hadoop says. */
function hadoopHint(words: string): string {
  if (/^SafeMode/.test(words))
    return "HDFS can be read only for now: hdfs dfsadmin -safemode wait tells when that is over.";
  if (/Quota/.test(words)) return "hdfs dfs -count -q -v PATH tells what there is room for.";
  if (/impersonate/.test(words))
    return "hadoop.proxyuser.USER.hosts and .groups of the cluster tell who may act for whom.";
  if (/^(?:HTTP \d|no )/.test(words))
    return "curl ADDRESS asks the same server: a proxy before it may have answered.";
  return "HADOOP_USER_NAME tells a cluster without Kerberos who asks; without it that is the user of this machine.";
}

const yarnJvmHint = "With a Spark in SPARK_HOME, FIRESTEEL_STRICT=1 lets its JVM submit to YARN.";

function aboveYarnMaximum(maximumMiB: number): string {
  return `above the max threshold (${maximumMiB} MB) of this cluster! Please check the values of 'yarn.scheduler.maximum-allocation-mb' and/or 'yarn.nodemanager.resource.memory-mb'.`;
}

/** A call that a Kubernetes API refused, and its own words about that. */
interface RefusedCall {
  readonly method: string;
  /** Without query. */
  readonly url: string;
  /** E.g. `https://10.0.0.1:6443`. */
  readonly server: string;
  readonly message: string;
}

/** A refusal in the words of Apache's client; only what to do about it differs. */
function defineRefusal<F extends RefusedCall>(hint: (fields: F) => string): ErrorCodeEntry<F> {
  return {
    kind: "cluster",
    wording: "spark",
    javaClass: kubernetesException,
    text: ({ method, url, message }) => `Failure executing: ${method} at: ${url}. Message: ${message}.`,
    hint,
  };
}

/** As an option of kubectl; `undefined`: the kind has no namespace. */
function inNamespace(namespace: string | undefined): string {
  return namespace === undefined ? "" : ` -n ${namespace}`;
}

function restRefusalHint(status: number, message: string): string {
  if (/Current state is not alive: (?:COMPLETING_)?RECOVER/.test(message)) {
    return "This master has just become the leader, and still reads what it knew: ask it again in a minute.";
  }
  if (/Current state is not alive/.test(message)) {
    return "Masters that stand by take nothing: name all of them, spark://HOST:PORT,HOST:PORT, and one leads.";
  }
  if (status === 401 || status === 403) {
    return "A filter guards this gateway: spark.firesteel.rest.tokenFile names the file with the token that it wants.";
  }
  if (status === 468) return "This gateway speaks another version of the protocol than v1.";
  return "The master's log may tell more.";
}

const certificateHints = {
  authority:
    "Name the file of its authority with spark.kubernetes.authenticate.submission.caCertFile or in the kubeconfig; spark.kubernetes.trust.certificates=true trusts any server.",
  name: "Write a host in --master that the certificate names, or set tls-server-name in the kubeconfig's cluster to one of these names.",
  time: "Compare the clock of this machine with the certificate's dates; if it has expired, whoever runs the cluster must renew it.",
} as const;

/** Every way in which a submission, the embedded cluster or the search for a Spark can be stopped. */
export const errorCodes = {
  ...usageCodes,
  SUBMIT_ERR_PACKAGE_COORDINATE: define<{ coordinate: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ coordinate }) =>
      `requirement failed: Provided Maven Coordinates must be in the form 'groupId:artifactId:version'. The coordinate provided is: ${coordinate}`,
  }),
  SUBMIT_ERR_PACKAGE_PART_BLANK: define<{ name: string; value: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ name, value }) =>
      `requirement failed: The ${name} cannot be null or be whitespace. The ${name} provided is: ${value}`,
  }),
  SUBMIT_ERR_PACKAGE_EXCLUSION: define<{ exclusion: string }>({
    kind: "setting",
    text: ({ exclusion }) => `${exclusion} excludes no packages.`,
    hint: () => "An exclusion is written groupId:artifactId; either may have a * in it.",
  }),
  SUBMIT_ERR_IVY_SETTINGS: define<{ path: string; reason: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ path, reason }) => `requirement failed: Ivy settings file ${path} ${reason}`,
  }),
  SUBMIT_ERR_IVY_SETTINGS_SCHEME: define<{ scheme: string; key: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ scheme, key }) => `Scheme ${scheme} not supported in ${key}`,
    hint: () => "Name a file of this machine.",
  }),
  SUBMIT_ERR_MAVEN_SETTINGS: define<{ path: string; reason: string }>({
    kind: "setting",
    text: ({ path, reason }) => `Maven's settings ${path} are no XML: ${reason}`,
    hint: () => "Mend the file, or move it away: repositories then have no mirrors, credentials and proxies.",
  }),
  SUBMIT_ERR_PACKAGE_REPOSITORY_URL: define<{ name: string; url: string }>({
    kind: "setting",
    text: ({ name, url }) => `The repository ${name} has an address that cannot be used: ${url}`,
    hint: () => "Write https://…, http://… or file:/….",
  }),
  SUBMIT_ERR_PACKAGE_UNRESOLVED: define<{ problems: readonly string[] }>({
    kind: "dependency",
    wording: "spark",
    javaClass: "java.lang.RuntimeException",
    text: ({ problems }) => `[${problems.join(", ")}]`,
    hint: () =>
      "Compare groupId, artifactId (which ends with a Scala version) and version with what the repository has; --repositories names more of them.",
  }),
  SUBMIT_ERR_PACKAGE_DIGEST: define<{ file: string; wanted: string; found: string }>({
    kind: "dependency",
    text: ({ file, wanted, found }) =>
      `${file} is not what the lock file tells: its SHA-256 is ${found}, and not ${wanted}.`,
    hint: () =>
      "Somebody changed a version that was released: find out who before you use it. To take it as it is, remove the lock file and resolve again.",
  }),
  SUBMIT_ERR_PACKAGE_LOCK: define<{ path: string; reason: string }>({
    kind: "dependency",
    text: ({ path, reason }) => `The lock file ${path} cannot be used: ${reason}.`,
    hint: () => "Resolve without --frozen to write it anew.",
  }),
  SUBMIT_ERR_PACKAGE_NAME: define<{ name: string }>({
    kind: "dependency",
    text: ({ name }) => `${JSON.stringify(name)} cannot be a part of a file's name, and so names no package.`,
    hint: () =>
      "It stands in --packages, or in the description of a package that is needed; do not trust that.",
  }),
  SUBMIT_ERR_PACKAGE_REPOSITORY: define<{ name: string; url: string; reason: string }>({
    kind: "unreachable",
    text: ({ name, url, reason }) =>
      `The repository ${name} (${url}) does not give what it is asked for: ${reason}.`,
    hint: () =>
      "Try again later, name a mirror in Maven's settings.xml or in DEFAULT_ARTIFACT_REPOSITORY, or use what is cached with --offline.",
  }),
  SUBMIT_ERR_PROPERTIES_FILE: define<{ path: string }>({
    kind: "usage",
    wording: "spark",
    text: ({ path }) => `Invalid properties file '${path}'.`,
    hint: () => "It must be a regular file of this machine that can be read.",
  }),
  SUBMIT_ERR_PROPERTIES_ESCAPE: define<{ path: string }>({
    kind: "usage",
    wording: "spark",
    text: () => "Malformed \\uxxxx encoding.",
    hint: ({ path }) =>
      `In ${path}, \\u must be followed by four hexadecimal digits; a backslash itself is written \\\\.`,
  }),
  SUBMIT_ERR_HEAP_OPTION: define<{ options: string }>({
    kind: "usage",
    wording: "spark",
    text: ({ options }) =>
      `Not allowed to specify max heap(Xmx) memory settings through java options (was ${options}). Use the corresponding --driver-memory or spark.driver.memory configuration instead.`,
  }),
  SUBMIT_ERR_OPTION_STRING: define<{ text: string }>({
    kind: "usage",
    wording: "spark",
    text: ({ text }) => `Invalid option string: ${text}`,
    hint: () => "A quote is not closed, or a backslash is the last character.",
  }),
  SUBMIT_ERR_NOT_POSITIVE: define<{ what: string; key: string; value: string }>({
    kind: "setting",
    wording: "spark",
    text: ({ what }) => `${what} must be a positive number`,
    hint: ({ what, key, value }) =>
      `${key} is "${value}"; write ${/memory/i.test(what) ? "an amount such as 512m or 2g" : "a number such as 2"}.`,
  }),
  SUBMIT_ERR_HADOOP_CONF_DIR: define<{ master: string }>({
    kind: "setting",
    wording: "spark",
    text: ({ master }) =>
      `When running with master '${master}' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment.`,
  }),
  SUBMIT_ERR_NO_OPERATIONS: define<{ master: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ master }) => `No external SparkSubmitOperations clients found for master url: '${master}'`,
    hint: () => "Name a Kubernetes master, e.g. --master k8s://https://host:6443",
  }),
  SUBMIT_ERR_MASTER_MISSING: define<Record<never, never>>({
    kind: "setting",
    text: () => "No cluster is named, and there is no kubeconfig with one.",
    hint: () =>
      "Name it with --master k8s://https://HOST:PORT, with --master k8s://embedded for that of `firesteel cluster start`, or by a kubeconfig in KUBECONFIG.",
  }),
  SUBMIT_ERR_KEYTAB_MISSING: define<{ path: string }>({
    kind: "dependency",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ path }) => `requirement failed: Keytab file: ${path} does not exist`,
  }),
  SUBMIT_ERR_GLOB_AMBIGUOUS: define<{ uri: string; matches: string }>({
    kind: "dependency",
    wording: "spark",
    text: ({ uri, matches }) => `${uri} resolves ambiguously to multiple files: ${matches}`,
  }),
  SUBMIT_ERR_GLOB_PATTERN: define<{ pattern: string; index: number }>({
    kind: "dependency",
    wording: "spark",
    javaClass: "java.io.IOException",
    text: ({ pattern, index }) =>
      `Illegal file pattern: error parsing regexp: Unclosed group at pos ${index}: \`${pattern}\``,
    hint: () => "The list is cut at every comma, also at those between braces.",
  }),
  SUBMIT_ERR_URI_SYNTAX: define<{ uri: string; index: number }>({
    kind: "dependency",
    wording: "spark",
    javaClass: "java.net.URISyntaxException",
    text: ({ uri, index }) => `Illegal character in path at index ${index}: ${uri}`,
    hint: () => "Of the patterns, only * works in names of files; rename the file or name each one.",
  }),
  SUBMIT_ERR_FILE_NAME_COLON: define<{ name: string; reason: string }>({
    kind: "dependency",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ name, reason }) => `java.net.URISyntaxException: ${reason}: ${name}`,
    hint: () =>
      "A local path has no colon, and a list of files no blanks: separate its addresses by commas alone.",
  }),
  SUBMIT_ERR_MAIN_CLASS_UNREADABLE: define<{ reason: string }>({
    kind: "dependency",
    wording: "spark",
    text: ({ reason }) =>
      `Failed to get main class in JAR with error '${reason}'.  Please specify one with --class.`,
  }),
  SUBMIT_ERR_MAIN_CLASS_MISSING: define<Record<never, never>>({
    kind: "dependency",
    wording: "spark",
    text: () => "No main class set in JAR; please specify one with --class.",
  }),
  SUBMIT_ERR_MASTER_NOT_SERVED: define<{ master: string; mode: string }>({
    kind: "setting",
    text: ({ master, mode }) =>
      `This spark-submit has no JVM and serves Kubernetes in cluster mode only, not ${master} in ${mode} mode.`,
    hint: () =>
      "Name a Kubernetes API server: --master k8s://https://HOST:PORT --deploy-mode cluster; or --master k8s://embedded for a cluster on this machine.",
  }),
  SUBMIT_ERR_REST_MASTER: define<{ master: string }>({
    kind: "setting",
    text: ({ master }) => `${master} is not the address of a master.`,
    hint: () =>
      "Write spark://HOST:PORT, several as spark://HOST:PORT,HOST:PORT, or mesos://HOST:PORT for Spark 3.5; PORT is that of the REST gateway, usually 6066.",
  }),
  SUBMIT_ERR_REST_ADDRESS: define<{ url: string; index: number }>({
    kind: "setting",
    wording: "spark",
    javaClass: "java.net.URISyntaxException",
    text: ({ url, index }) => `Illegal character in path at index ${index}: ${url}`,
  }),
  SUBMIT_ERR_REST_HOST: define<{ master: string; host: string }>({
    kind: "unreachable",
    wording: "spark",
    javaClass: "java.net.UnknownHostException",
    text: ({ host }) => host,
    hint: ({ master }) => `The name in ${master} has no address here; look whether it is spelled right.`,
  }),
  SUBMIT_ERR_REST_UNREACHABLE: define<{ master: string; reason: string }>({
    kind: "unreachable",
    wording: "spark",
    javaClass: `${restPackage}.SubmitRestConnectionException`,
    text: () => "Unable to connect to server",
    hint: ({ master, reason }) =>
      `No REST gateway of a master answers at ${master} (${reason}). The page of a standalone master shows its address as "REST URL"; the usual port is 6066, and spark.master.rest.enabled=true switches it on there.`,
    causes: ({ reason }) => [
      `java.net.ConnectException: ${/ECONNREFUSED/.test(reason) ? "Connection refused" : reason}`,
    ],
  }),
  SUBMIT_ERR_REST_NO_RESPONSE: define<{ master: string; reason: string }>({
    kind: "timeout",
    wording: "spark",
    javaClass: `${restPackage}.SubmitRestConnectionException`,
    text: () => "No response from server",
    hint: ({ master, reason }) => `${master} took the request: ${reason}. Look whether the master is well.`,
  }),
  SUBMIT_ERR_REST_MALFORMED: define<{ cause: string; reason: string }>({
    kind: "cluster",
    wording: "spark",
    javaClass: `${restPackage}.SubmitRestProtocolException`,
    text: () => "Malformed response received from server",
    hint: ({ reason }) =>
      `What answered is no REST gateway, or not well: ${reason}. Compare the address with the "REST URL" on the master's page.`,
    causes: ({ cause }) => [cause],
  }),
  SUBMIT_ERR_REST_RESPONSE_UNKNOWN: define<{ action: string }>({
    kind: "cluster",
    wording: "spark",
    text: () => waitingForResponse,
    hint: ({ action }) => `The answer is of a type that this protocol does not have: ${action}`,
    causes: ({ action }) => [`java.lang.ClassNotFoundException: ${restPackage}.${action}`],
  }),
  SUBMIT_ERR_REST_WAIT: define<{ cause: string; reason: string }>({
    kind: "cluster",
    wording: "spark",
    text: () => waitingForResponse,
    hint: ({ reason }) => `There is no answer that can be read: ${reason}.`,
    causes: ({ cause }) => [cause],
  }),
  SUBMIT_ERR_REST_REJECTED: define<{ master: string; status: number; message: string }>({
    kind: "cluster",
    text: ({ master, status, message }) =>
      `${master} refuses${status === 200 ? "" : ` (HTTP ${status})`}: ${message}`,
    hint: ({ status, message }) => restRefusalHint(status, message),
  }),
  SUBMIT_ERR_REST_UNCERTAIN: define<{ master: string; reason: string }>({
    kind: "cluster",
    text: ({ master, reason }) =>
      `${master} took the submission and did not answer (${reason}), so the driver may have been created.`,
    hint: () => "Look at the master's page before you submit again: it may be there already.",
  }),
  SUBMIT_ERR_REST_DRIVER_UNKNOWN: define<{ id: string; master: string }>({
    kind: "setting",
    text: ({ id, master }) => `${master} knows no driver ${id}.`,
    hint: () =>
      "It forgets drivers that have ended, after many others or when it is cleared; its page shows the others.",
  }),
  SUBMIT_ERR_REST_SUBMISSION_ID_INVALID: define<{ id: string; master: string }>({
    kind: "usage",
    text: ({ id, master }) => `${master} tells of one driver at a time, and "${id}" is none.`,
    hint: () =>
      "Name it as the submission named it: driver-20260101000000-0000; the master's page lists all.",
  }),
  SUBMIT_ERR_REST_TOKEN: define<{ key: string; path: string; reason: string }>({
    kind: "setting",
    text: ({ key, path, reason }) => `${key}: ${path} has no token: ${reason}`,
    hint: () => "The file must hold one line: the token that goes out as Authorization: Bearer TOKEN.",
  }),
  SUBMIT_ERR_LEGACY_GATEWAY: define<{ master: string }>({
    kind: "setting",
    text: ({ master }) =>
      `Without its REST gateway, ${master} takes submissions only over Spark's RPC, which needs the JVM of a Spark on this machine.`,
    hint: () =>
      "Name the REST gateway, usually spark://HOST:6066, and set spark.master.rest.enabled=true here and, before Spark 4.1, at the master; or name a Spark in SPARK_HOME, or get one with firesteel spark install.",
  }),
  SUBMIT_ERR_MESOS_REST: define<Record<never, never>>({
    kind: "setting",
    wording: "spark",
    javaClass: "java.lang.AssertionError",
    text: () => "assertion failed: Mesos cluster mode is only supported through the REST submission API",
    hint: () => "Set spark.master.rest.enabled=true.",
  }),
  SUBMIT_ERR_SPARK_NEEDED: define<{ what: string; line: string }>({
    kind: "environment",
    text: ({ what }) =>
      `${what} takes a Spark distribution on this machine, and there is none: SPARK_HOME is not set, no pyspark is installed for python3, and the cache has none.`,
    hint: ({ line }) =>
      `Get one: firesteel spark install ${line}; or name a folder in SPARK_HOME. In cluster mode no Spark is needed: --master k8s://https://HOST:PORT --deploy-mode cluster.`,
  }),
  SUBMIT_ERR_SPARK_JARS: define<{ folder: string }>({
    kind: "environment",
    wording: "spark",
    text: ({ folder }) =>
      `Failed to find Spark jars directory (${folder}).\nYou need to build Spark with the target "package" before running this program.`,
    hint: () =>
      "SPARK_HOME must be the folder of a Spark distribution: with bin, jars and python. Get one: firesteel spark install",
  }),
  SUBMIT_ERR_SPARK_TOO_OLD: define<{ what: string; since: string; home: string }>({
    kind: "environment",
    text: ({ what, since, home }) => `${what} is part of Spark since ${since}; that of ${home} is older.`,
    hint: ({ since }) =>
      `Get a newer one: firesteel spark install ${since}; or name another folder in SPARK_HOME.`,
  }),
  SUBMIT_ERR_JAVA_HOME_MISSING: define<Record<never, never>>({
    kind: "environment",
    wording: "spark",
    text: () => "JAVA_HOME is not set",
    hint: () =>
      "Spark takes Java 17 or later: install one, and put java on the PATH or its folder in JAVA_HOME.",
  }),
  SUBMIT_ERR_PROGRAM_START: define<{ command: string; reason: string }>({
    kind: "environment",
    text: ({ command, reason }) => `${command} could not be started: ${reason}`,
    hint: ({ command }) => `Check that ${command} exists and may be run.`,
  }),
  SUBMIT_ERR_EXAMPLES: define<{ reason: string }>({
    kind: "environment",
    wording: "spark",
    javaClass: "java.lang.IllegalStateException",
    text: ({ reason }) => reason,
    hint: () =>
      "Distributions from spark.apache.org have examples/jars, those of pip do not; in Kubernetes cluster mode the examples of the image are taken.",
  }),
  SUBMIT_ERR_SUBMISSION_ID_NAME: define<{ id: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: noSuchElement,
    text: () => "last of empty String",
    hint: ({ id }) => `"${id}" names no pod. ${submissionIdShape}`,
  }),
  SUBMIT_ERR_SUBMISSION_ID_NAMESPACE: define<{ id: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: kubernetesException,
    text: () => "namespace not specified for an operation requiring one.",
    hint: ({ id }) => `There is nothing before the colon of "${id}". ${submissionIdShape}`,
  }),
  SUBMIT_ERR_NAMESPACE_UNKNOWN: define<{ name: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: kubernetesException,
    text: () =>
      "namespace not specified for an operation requiring one and no default was found in the Config.",
    hint: ({ name }) => `Say which namespace: NAMESPACE:${name}`,
  }),
  SUBMIT_ERR_TOKEN_REUSED: define<{ id: string; parts: readonly string[] }>({
    kind: "setting",
    text: ({ id, parts }) =>
      `The submission token belongs to another submission, whose driver is ${id}. What differs: ${parts.join(", ")}`,
    hint: ({ id }) =>
      `Use another token for another submission; firesteel attach ${id} waits for the driver that there is.`,
  }),
  SUBMIT_ERR_DRIVER_MISSING: define<{ id: string; namespace: string | undefined }>({
    kind: "setting",
    text: ({ id, namespace }) =>
      `There is no driver ${id} in ${namespace === undefined ? "any namespace" : `namespace ${namespace}`}.`,
    hint: () => "firesteel status shows the drivers that there are.",
  }),
  SUBMIT_ERR_DRIVER_AMBIGUOUS: define<{ id: string; ids: readonly string[] }>({
    kind: "setting",
    text: ({ id, ids }) => `${id} is not one driver but ${ids.length}: ${ids.join(", ")}`,
    hint: () => "Name one of them.",
  }),
  SUBMIT_ERR_SPARK_ENV: define<{ path: string; reason: string }>({
    kind: "environment",
    text: ({ path, reason }) => `${path} could not be run: ${reason}`,
    hint: () => "Set SPARK_ENV_LOADED=1 to leave it out.",
  }),
  SUBMIT_ERR_SETTING_UNKNOWN: define<{ key: string; origin: string; nearest: readonly string[] }>({
    kind: "setting",
    text: ({ key, origin }) => `There is no setting ${key} (${origin}).`,
    hint: ({ nearest }) =>
      nearest.length === 0
        ? "docs/configuration.md has all settings of ours."
        : `Did you mean ${nearest.join(" or ")}?`,
  }),
  SUBMIT_ERR_SETTING_TYPE: define<{
    key: string;
    value: string;
    type: string;
    reason?: string;
    condition: boolean;
  }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ key, value, type, reason, condition }) =>
      condition
        ? invalidValue("TYPE_MISMATCH", { key, value, requirement: `It should be a/an '${type}' value.` })
        : (reason ?? `${key} should be ${type}, but was ${value}`),
  }),
  SUBMIT_ERR_SETTING_VALUE: define<{ key: string; value: string; requirement: string; condition: boolean }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ key, value, requirement, condition }) =>
      condition
        ? invalidValue("REQUIREMENT", { key, value, requirement })
        : `'${value}' in ${key} is invalid. ${requirement}`,
  }),
  SUBMIT_ERR_SETTING_CHOICE: define<{ key: string; value: string; choices: string; condition: boolean }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ key, value, choices, condition }) =>
      condition
        ? invalidValue("OUT_OF_RANGE_OF_OPTIONS", {
            key,
            value,
            requirement: `It should be one of '${choices}'.`,
          })
        : `The value of ${key} should be one of ${choices}, but was ${value}`,
  }),
  SUBMIT_ERR_SETTING_RAW_INTEGER: define<{ key: string; value: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ key, value }) => `Illegal value for config key ${key}: For input string: "${value}"`,
  }),
  SUBMIT_ERR_VOLUME_TYPE: define<{ type: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ type }) => `Kubernetes Volume type \`${type}\` is not supported`,
    hint: () => "Supported types: hostPath, emptyDir, nfs, persistentVolumeClaim.",
  }),
  SUBMIT_ERR_VOLUME_MOUNT_PATH_MISSING: define<{ key: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: noSuchElement,
    text: ({ key }) => `key not found: ${key}`,
  }),
  SUBMIT_ERR_VOLUME_OPTION_MISSING: define<{ key: string; type: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: noSuchElement,
    text: ({ key, type }) => `${key} is required for ${type}`,
  }),
  SUBMIT_ERR_VOLUME_INPUT: define<{ key: string; value: string; allowed: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ value }) => `For input string: "${value}"`,
    hint: ({ key, allowed }) => `${key} must be ${allowed}.`,
  }),
  SUBMIT_ERR_VOLUME_SUB_PATHS: define<{ keys: readonly string[] }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ keys }) => `These config options are mutually exclusive: ${keys.join(", ")}`,
  }),
  SUBMIT_ERR_VOLUME_SIZE_WITHOUT_UNIT: define<{ key: string; value: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ value }) => `Volume size \`${value}\` is smaller than 1KiB. Missing units?`,
    hint: ({ key, value }) => `Write ${key}=${value}Gi for gibibytes.`,
  }),
  SUBMIT_ERR_MOUNT_PATH_DUPLICATE: define<{ paths: readonly string[] }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ paths }) =>
      `requirement failed: Found duplicated mountPath: ${paths.map((path) => `'${path}'`).join(", ")}`,
  }),
  SUBMIT_ERR_SETTING_CIRCULAR: define<{ text: string; reference: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ text, reference }) => `requirement failed: Circular reference in ${text}: ${reference}`,
  }),
  SUBMIT_ERR_MASTER_PREFIX: define<Record<never, never>>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: () => "requirement failed: Kubernetes master URL must start with k8s://.",
  }),
  SUBMIT_ERR_MASTER_SCHEME: define<{ scheme: string; url: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ scheme, url }) => `Invalid Kubernetes master scheme: ${scheme} found in URL: ${url}`,
  }),
  SUBMIT_ERR_MASTER_URL: define<{ url: string; reason: string }>({
    kind: "setting",
    javaClass: "java.net.URISyntaxException",
    text: ({ url, reason }) => `${reason}: ${url}`,
    hint: () => "A master is written k8s://https://HOST:PORT.",
  }),
  SUBMIT_ERR_LABEL_RESERVED: define<{ label: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ label }) =>
      `requirement failed: Label with key ${label} is not allowed as it is reserved for Spark bookkeeping operations.`,
  }),
  SUBMIT_ERR_IMAGE_MISSING: define<{ key: string }>({
    kind: "setting",
    wording: "spark",
    text: () => "Must specify the driver container image",
    hint: ({ key }) => `Set ${key}, e.g. --conf ${key}=apache/spark:4.0.0.`,
  }),
  SUBMIT_ERR_EXECUTOR_CPU_LIMIT: define<{ request: string; limit: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ request, limit }) =>
      `The executor cpu request (${request}) should be less than or equal to cpu limit (${limit})`,
  }),
  SUBMIT_ERR_EXECUTOR_IMAGE_MISSING: define<{ key: string }>({
    kind: "setting",
    wording: "spark",
    text: () => "Must specify the executor container image",
    hint: ({ key }) => `Set ${key}, e.g. --conf ${key}=apache/spark:4.0.0.`,
  }),
  SUBMIT_ERR_DRIVER_ADDRESS: define<{ key: string; reason: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ key, reason }) =>
      `requirement failed: ${key} is not supported in Kubernetes mode, as ${reason}.`,
  }),
  SUBMIT_ERR_SETTING_NAME: define<{ key: string; value: string; what: "namespace" | "pod" }>({
    kind: "setting",
    text: ({ key, value, what }) => `${key} is "${value}", but no ${what} can have this name.`,
    hint: ({ what }) =>
      `The name of a ${what} is made of a-z, 0-9 and -${what === "pod" ? ", in parts between dots" : ""}; it begins and ends with a letter or a digit, and has at most ${what === "pod" ? 253 : 63} characters.`,
  }),
  SUBMIT_ERR_SETTING_AMOUNT: define<{ key: string; value: string }>({
    kind: "setting",
    text: ({ key, value }) => `${key} is "${value}", which is no amount.`,
    hint: () => "Kubernetes reads numbers of 0 or more such as 2, 0.5 and 500m.",
  }),
  SUBMIT_ERR_QUANTITY: define<{ key: string; value: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: () => "Invalid quantity string format passed.",
    hint: ({ key, value }) => `${key} is "${value}"; Kubernetes reads numbers such as 2, 0.5 and 500m.`,
  }),
  SUBMIT_ERR_DRIVER_RESOURCE: define<{ text: string }>({
    kind: "setting",
    wording: "spark",
    text: ({ text }) => text,
  }),
  SUBMIT_ERR_DRIVER_RESOURCE_AMOUNT: define<{ name: string; value: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: "java.lang.NumberFormatException",
    text: ({ value }) => `For input string: "${value}"`,
    hint: ({ name }) => `The amount of the driver's resource ${name} is a whole number.`,
  }),
  SUBMIT_ERR_SECRET_KEY_REF: define<{ key: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: () => "requirement failed: SecretKeyRef must be in the form name:key.",
    hint: ({ key }) => `Give ${key} the name of a Secret and a key in it, e.g. db-login:password.`,
  }),
  SUBMIT_ERR_FEATURE_STEP_JAVA: define<{ key: string; className: string }>({
    kind: "setting",
    text: ({ key, className }) =>
      `${key} names the Java class ${className}, which cannot run here: there is no JVM.`,
    hint: ({ key }) =>
      `Leave ${key} out. Say what the class does with a pod template, or with a step in JavaScript: spark.firesteel.featureSteps.`,
  }),
  SUBMIT_ERR_FEATURE_STEP_BUILT_IN: define<{ key: string; className: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: "java.lang.NoSuchMethodException",
    text: ({ className }) => `${className}.<init>()`,
    hint: ({ key }) => `Spark's own steps always take part; leave them out of ${key}.`,
  }),
  SUBMIT_ERR_FEATURE_STEP_MODULE: define<{ key: string; module: string; reason: string }>({
    kind: "setting",
    text: ({ key, module, reason }) => `The module ${module} of ${key} cannot be loaded: ${reason}`,
    hint: () =>
      "A module is named by its path, or by the name of a package, both seen from the working directory.",
  }),
  SUBMIT_ERR_FEATURE_STEP_SHAPE: define<{ module: string }>({
    kind: "setting",
    text: ({ module }) => `The module ${module} exports no feature step.`,
    hint: () =>
      "Its default export, or its export `step`, is a function that returns what to add, or an object with `contribute` or `transform`; docs/feature-steps.md has an example.",
  }),
  SUBMIT_ERR_FEATURE_STEP_THROWN: define<{ step: string; method: string; reason: string }>({
    kind: "setting",
    text: ({ step, method, reason }) => `The feature step ${step} failed in ${method}: ${reason}`,
  }),
  SUBMIT_ERR_FEATURE_STEP_RESULT: define<{ step: string; method: string; reason: string }>({
    kind: "setting",
    text: ({ step, method, reason }) =>
      `What ${method} of the feature step ${step} returned cannot be used: ${reason}.`,
    hint: () => "docs/feature-steps.md says what a step returns.",
  }),
  SUBMIT_ERR_UPLOAD_PATH_MISSING: define<{ key: string; files: string }>({
    kind: "dependency",
    wording: "spark",
    text: ({ key }) => `Please specify ${key} property.`,
    hint: ({ key, files }) =>
      `The pods cannot see ${files}: name in ${key} a file system that this machine and the pods share (file:///…), put it into the image (local://), or put it where they can fetch it (https://, s3a://, …).`,
  }),
  SUBMIT_ERR_UPLOAD_SCHEME: define<{ key: string; path: string; scheme: string; files: string }>({
    kind: "dependency",
    text: ({ key, path, scheme }) =>
      `${key} is ${path}, but nothing is uploaded to ${scheme}: here, only to file:, s3a:, hdfs: and webhdfs:.`,
    hint: ({ scheme, files }) =>
      `The pods cannot see ${files}: put it into the image (local://), upload it yourself and name the copy (${scheme}://…), or mount a file system that this machine and the pods share and name that (file:///…).`,
  }),
  SUBMIT_ERR_UPLOAD_FAILED: define<{ path: string; reason: string }>({
    kind: "dependency",
    wording: "spark",
    text: ({ path }) => `Uploading file ${path} failed...`,
    hint: ({ reason }) => `${reason}.`,
    causes: ({ path, reason }) => [
      `${sparkException}: Error uploading file ${path.split("/").at(-1)}`,
      reason,
    ],
  }),
  SUBMIT_ERR_UPLOAD_CLEANUP_INCOMPLETE: define<{ folder: string; reason: string }>({
    kind: "dependency",
    text: ({ folder, reason }) => `This may be left behind: ${folder} (${reason})`,
    hint: ({ folder }) => `Remove ${folder} by hand.`,
  }),
  SUBMIT_ERR_STAGING_NONE: define<{ key: string; files: string }>({
    kind: "dependency",
    text: ({ key, files }) => `${key} is none, but only this machine has ${files}.`,
    hint: () =>
      "Put it into the image (local://) or where the pods can fetch it (https://, s3a://, …), or leave the setting out.",
  }),
  SUBMIT_ERR_STAGING_NO_SERVER: define<{ key: string; serverKey: string }>({
    kind: "setting",
    text: ({ key, serverKey }) => `${key} is server, but ${serverKey} names none.`,
    hint: () => "`firesteel staging-server` is one.",
  }),
  SUBMIT_ERR_STAGING_NO_BUCKET: define<{ key: string; pathKey: string }>({
    kind: "setting",
    text: ({ key, pathKey }) => `${key} is s3, but ${pathKey} names no bucket.`,
    hint: ({ pathKey }) => `Name one, e.g. ${pathKey}=s3://bucket/staging.`,
  }),
  SUBMIT_ERR_STAGING_S3: define<{ bucket: string; path: string; reason: string }>({
    kind: "cluster",
    text: ({ bucket, path, reason }) => `${path} did not get into the bucket ${bucket}: ${reason}`,
    hint: () =>
      "Credentials are looked for as the AWS tools do it; they need s3:GetObject and s3:PutObject there, and s3:ListBucket to be told what is missing.",
  }),
  SUBMIT_ERR_SWEEP_BUCKET: define<{ bucket: string; reason: string }>({
    kind: "cluster",
    text: ({ bucket, reason }) => `The bucket ${bucket} could not be swept: ${reason}`,
    hint: () =>
      "Credentials are looked for as the AWS tools do it; they need s3:ListBucket, s3:GetObject and s3:DeleteObject there, and s3:ListBucketMultipartUploads, s3:ListMultipartUploadParts and s3:AbortMultipartUpload for what was not completed.",
  }),
  SUBMIT_ERR_STAGING_CLEANUP_INCOMPLETE: define<{ bundleId: string; server: string; expiresAt: string }>({
    kind: "dependency",
    text: ({ bundleId, server }) => `This may be left behind: the bundle ${bundleId} of ${server}`,
    hint: ({ expiresAt }) => `The server removes it after ${expiresAt}.`,
  }),
  SUBMIT_ERR_STAGING_TOO_LARGE: define<{
    key: string;
    /** Of base64, as the limits. */
    sizeBytes: number;
    limitBytes: number;
    maxBytesPerSecret: number;
    /** The path of the largest file. */
    largest: string;
    serverKey: string;
    uploadPathKey: string;
  }>({
    kind: "dependency",
    text: ({ key, sizeBytes, limitBytes, largest }) =>
      `The files of this machine are too large for Secrets: ${sizeBytes} bytes as base64, but ${key} is ${limitBytes}. The largest is ${largest}.`,
    hint: ({ key, maxBytesPerSecret, serverKey, uploadPathKey }) =>
      `Name in ${serverKey} a staging server, or in ${uploadPathKey} a file system that this machine and the pods share (file:///…), put the files into the image (local://) or where the pods can fetch them (https://, s3a://, …), or raise ${key}; one file can be at most ${maxBytesPerSecret} bytes as base64.`,
  }),
  SUBMIT_ERR_STAGING_MODE: define<{ key: string; mode: string; reason: string; remedy: string }>({
    kind: "setting",
    text: ({ key, mode, reason }) => `${key} is ${mode}, but ${reason}.`,
    hint: ({ key, remedy }) =>
      `Leave ${key} out, and executors fetch the files from their driver; or ${remedy}.`,
  }),
  SUBMIT_ERR_STAGING_UNDELIVERED: define<{ pod: string; reason: string; nextStep?: string | undefined }>({
    kind: "cluster",
    text: ({ pod, reason }) => `The driver's pod ${pod} did not take the files of this machine: ${reason}`,
    hint: ({ nextStep }) => nextStep ?? "`firesteel diagnose` looks at pods that do not get on.",
  }),
  SUBMIT_ERR_STAGING_NO_ADDRESS: define<{ way: string; reason: string; key: string }>({
    kind: "cluster",
    text: ({ way, reason }) => `The waiting init container cannot be reached by ${way}: ${reason}`,
    hint: ({ key }) => `With ${key}=PortForward the files go through the Kubernetes API.`,
  }),
  SUBMIT_ERR_STAGING_NAME: define<{ path: string; name: string }>({
    kind: "dependency",
    text: ({ path, name }) => `${path} cannot go to the pods by its name, ${name}.`,
    hint: () => "Give it a name of letters, digits, '.', '_' and '-', at most 255 of them.",
  }),
  SUBMIT_ERR_STAGING_NAME_CONFLICT: define<{ name: string; first: string; second: string }>({
    kind: "dependency",
    text: ({ name, first, second }) =>
      `Two different files would both be ${name} in the driver's working directory: ${first} and ${second}.`,
    hint: () => "Rename one of them.",
  }),
  SUBMIT_ERR_STAGING_NOT_A_FILE: define<{ path: string }>({
    kind: "dependency",
    text: ({ path }) => `${path} is a folder, and only files go to the pods.`,
    hint: () =>
      "Pack it: Python packages as a .zip for --py-files, anything else as a .tar.gz for --archives.",
  }),
  SUBMIT_ERR_STAGING_DIRECTORY: define<{
    key: string;
    directory: string;
    workDirectory: string;
    sparkHome: string;
  }>({
    kind: "setting",
    text: ({ key, directory, workDirectory, sparkHome }) =>
      `${key} is ${directory}, which must neither be in ${workDirectory} nor hide ${sparkHome}.`,
    hint: ({ workDirectory }) =>
      `Spark copies what it finds there into ${workDirectory}, and removes before what has the same name; take a folder elsewhere, or leave the setting out.`,
  }),
  SUBMIT_ERR_STAGING_CONFLICT: define<{ what: string; name: string; directory: string }>({
    kind: "dependency",
    text: ({ what, name, directory }) =>
      `The files of this machine are to be mounted at ${directory} as the volume ${name}, but ${what} is in the way.`,
    hint: () => "Give yours another name or another mount path.",
  }),
  SUBMIT_ERR_TEMPLATE_UNUSABLE: define<{ path: string; reason: string }>({
    kind: "template",
    wording: "spark",
    text: () => "Could not load pod from template file.",
    hint: ({ path, reason }) => `${path}: ${reason}.`,
    // Spark's log has these words, and what was thrown below them.
    causes: ({ reason }) => [
      `Encountered exception while attempting to load initial pod spec from file: ${reason}`,
    ],
  }),
  SUBMIT_ERR_TEMPLATE_NOT_A_POD: define<{ path: string; kind: string }>({
    kind: "template",
    text: ({ path, kind }) => `The pod template ${path} is of kind ${kind}, not Pod.`,
    hint: () => "A template begins with `apiVersion: v1` and `kind: Pod`.",
  }),
  SUBMIT_ERR_TEMPLATE_SCHEME: define<{ key: string; uri: string; scheme: string }>({
    kind: "template",
    text: ({ key, uri, scheme }) =>
      `The pod template ${uri} of ${key} cannot be fetched: ${scheme}: is not served.`,
    hint: () => "Download it and name the file, or put it where http:// or https:// leads to it.",
  }),
  SUBMIT_ERR_TEMPLATE_UNREADABLE: define<{ key: string; path: string; reason: string }>({
    kind: "template",
    text: ({ key, path, reason }) => `The file of ${key} cannot be read: ${path} (${reason})`,
  }),
  SUBMIT_ERR_POD_GROUP_TEMPLATE: define<{ key: string; reason: string }>({
    kind: "template",
    javaClass: kubernetesException,
    // Spark's first sentence, which says nothing.
    text: ({ key, reason }) => `An error has occurred. The PodGroup of ${key} cannot be used: ${reason}`,
    hint: () => "It is YAML or JSON with a `spec`, e.g. {spec: {queue: jobs, minMember: 1}}.",
  }),
  SUBMIT_ERR_CREDENTIAL_FILE: define<{ what: string; path: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ what, path }) =>
      `requirement failed: ${what} provided at ${path} does not exist or is not a file.`,
  }),
  SUBMIT_ERR_HADOOP_CONF_CONFLICT: define<{ key: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: () =>
      "requirement failed: Do not specify both the `HADOOP_CONF_DIR` in your ENV and the ConfigMap as the creation of an additional ConfigMap, when one is already specified is extraneous",
    hint: ({ key }) => `Unset the variable HADOOP_CONF_DIR, or leave ${key} out.`,
  }),
  SUBMIT_ERR_HADOOP_CONF_SIZE: define<{ path: string; sizeBytes: number; largest: string }>({
    kind: "environment",
    text: ({ path, sizeBytes }) =>
      `The files of HADOOP_CONF_DIR are ${sizeBytes} bytes together; a ConfigMap holds 1048576 at most: ${path}`,
    hint: ({ largest }) =>
      `Name a directory with what the driver needs only. The largest file is ${largest}.`,
  }),
  SUBMIT_ERR_KRB5_CONFLICT: define<{ keys: readonly string[] }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: () =>
      "requirement failed: Do not specify both a Krb5 local file and the ConfigMap as the creation of an additional ConfigMap, when one is already specified, is extraneous",
    hint: ({ keys }) => `Leave out one of ${keys.join(", ")}.`,
  }),
  SUBMIT_ERR_KERBEROS_INCOMPLETE: define<{
    given: string;
    missing: string;
    givenKey: string;
    missingKey: string;
  }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ given, missing }) =>
      `requirement failed: If ${given} is specified you must also specify ${missing}`,
    hint: ({ givenKey, missingKey }) => `Set ${missingKey}, too, or leave ${givenKey} out.`,
  }),
  SUBMIT_ERR_NOT_UTF8: define<{ path: string }>({
    kind: "environment",
    wording: "spark",
    javaClass: "java.nio.charset.MalformedInputException",
    text: () => "Input length = 1",
    hint: ({ path }) => `${path} is not text in UTF-8; remove it, or save it as such.`,
  }),
  SUBMIT_ERR_FILE_UNREADABLE: define<{ what: string; path: string; reason: string }>({
    kind: "dependency",
    text: ({ what, path, reason }) => `The file of ${what} cannot be read: ${path} (${reason})`,
  }),
  SUBMIT_ERR_CONF_FILE: define<{ path: string; reason: string }>({
    kind: "environment",
    text: ({ path, reason }) => `The file ${path} of the configuration directory cannot be read: ${reason}.`,
    hint: () => "Make it readable, or set SPARK_CONF_DIR to another directory.",
  }),
  SUBMIT_ERR_KUBE_NAMESPACE: define<{ namespace: string }>({
    kind: "setting",
    javaClass: kubernetesException,
    // Spark's first sentence each time.
    text: ({ namespace }) =>
      namespace === ""
        ? "namespace not specified for an operation requiring one."
        : `An error has occurred. No request can name the namespace ${JSON.stringify(namespace)}.`,
    hint: () => "A namespace is at most 63 small letters, digits and -, e.g. spark-jobs.",
  }),
  SUBMIT_ERR_KUBE_NAME: define<{ kind: string; name: string }>({
    kind: "setting",
    javaClass: kubernetesException,
    text: ({ kind, name }) =>
      `An error has occurred. No request can name the ${kind} ${JSON.stringify(name)}.`,
    hint: () => "A name has small letters, digits, - and dots.",
  }),
  SUBMIT_ERR_KUBE_ADDRESS: define<{ server: string }>({
    kind: "unreachable",
    javaClass: kubernetesException,
    // Spark's words each time.
    text: ({ server }) => {
      const [, host = "", port = ""] = /^\w+:\/\/([^/]*?)(?::(\d+))?(?:\/|$)/.exec(server) ?? [];
      if (host === "" && port !== "") return "host name must not be empty";
      if (Number(port) > 65535) return "port p must be in range 0 <= p <= 65535";
      return `An error has occurred. There is no server at ${server}.`;
    },
    hint: () => "A master is written k8s://https://HOST:PORT.",
  }),
  SUBMIT_ERR_KUBE_UNREACHABLE: define<{ server: string; reason: string; failed?: string }>({
    kind: "unreachable",
    javaClass: kubernetesException,
    text: ({ server, reason, failed = "An error has occurred." }) =>
      `${failed} No answer from ${server}: ${reason}`,
    hint: ({ server, reason }) =>
      reason.endsWith("is it an https:// address?")
        ? `If it is, write --master k8s://https://${new URL(server).host}.`
        : `Check the address in --master, the network and the variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY; this asks the same server: kubectl --server ${server} version`,
  }),
  SUBMIT_ERR_KUBE_CERTIFICATE: define<{
    server: string;
    reason: string;
    problem: "name" | "time" | "authority";
  }>({
    kind: "unreachable",
    javaClass: kubernetesException,
    text: ({ server, reason }) =>
      `An error has occurred. The certificate of ${server} is not trusted: ${reason}`,
    hint: ({ problem }) => certificateHints[problem],
  }),
  SUBMIT_ERR_KUBE_CLIENT_CERTIFICATE: define<{ server: string; reason: string }>({
    kind: "unreachable",
    javaClass: kubernetesException,
    text: ({ server, reason }) =>
      `An error has occurred. ${server} does not accept our side of the encryption: ${reason}`,
    hint: () =>
      "Renew the client certificate of the kubeconfig's user, or name another one with spark.kubernetes.authenticate.submission.clientCertFile and clientKeyFile; openssl x509 -noout -dates -issuer -in FILE shows when it ends and who made it.",
  }),
  SUBMIT_ERR_KUBE_PROXY_FAILED: define<{
    proxy: string;
    server: string;
    reason: string;
    /** What the proxy answered, if it speaks HTTP. */
    status?: number | undefined;
  }>({
    kind: "unreachable",
    javaClass: kubernetesException,
    text: ({ proxy, server, reason }) =>
      `An error has occurred. The proxy ${proxy} gives no way to ${server}: ${reason}`,
    hint: ({ status }) =>
      status === 407
        ? "Give the proxy a user and a password: http://USER:PASSWORD@HOST:PORT, or the variables PROXY_USERNAME and PROXY_PASSWORD."
        : "Check the variables HTTP_PROXY, HTTPS_PROXY and ALL_PROXY and the kubeconfig's proxy-url; NO_PROXY names the servers that are reached without a proxy.",
  }),
  SUBMIT_ERR_KUBE_TIMEOUT: define<{ method: string; path: string; server: string; limitMs: number }>({
    kind: "timeout",
    javaClass: kubernetesException,
    wording: "spark",
    text: ({ method, path, server, limitMs }) =>
      `The timeout period of ${limitMs}ms has been exceeded while executing ${method} ${path} for server ${server}`,
    hint: () =>
      "The API server is slow or overloaded: try again, or allow more time with spark.kubernetes.submission.requestTimeout.",
  }),
  SUBMIT_ERR_KUBE_WATCH: define<{ status: number; url: string; reason: string }>({
    kind: "cluster",
    wording: "spark",
    javaClass: kubernetesException,
    text: ({ status, url, reason }) =>
      `Received ${status} on websocket. Failure executing: GET at: ${url}. Message: ${reason}.`,
    hint: () => "The driver goes on; kubectl get pods shows it.",
  }),
  SUBMIT_ERR_KUBE_UNAUTHORIZED: defineRefusal(
    ({ server }) =>
      `${server} does not accept these credentials: renew the token or client certificate of the kubeconfig's user, or check what kubectl config view shows for the context.`,
  ),
  SUBMIT_ERR_KUBE_FORBIDDEN: defineRefusal<
    RefusedCall & { verb: string; resource: string; namespace: string | undefined }
  >(({ verb, resource, namespace, message }) =>
    message.includes("system:anonymous")
      ? "No credentials were sent: choose a user with spark.kubernetes.context (kubectl config get-contexts), or give spark.kubernetes.authenticate.submission.oauthToken."
      : `Ask for the right; this shows whether you have it: kubectl auth can-i ${verb} ${resource}${inNamespace(namespace)}`,
  ),
  SUBMIT_ERR_KUBE_QUOTA: defineRefusal<RefusedCall & { namespace: string | undefined }>(
    ({ namespace }) =>
      `Ask for less, or set what the quota demands; this shows what is left of it: kubectl describe quota${inNamespace(namespace)}`,
  ),
  SUBMIT_ERR_KUBE_SERVICE_ACCOUNT: defineRefusal<RefusedCall & { namespace: string | undefined }>(
    ({ namespace }) =>
      `Create the service account, or name another one with spark.kubernetes.authenticate.driver.serviceAccountName; these exist: kubectl get serviceaccounts${inNamespace(namespace)}`,
  ),
  SUBMIT_ERR_KUBE_POD_SECURITY: defineRefusal(
    () =>
      "Give the pods what the message demands, with pod templates (spark.kubernetes.driver.podTemplateFile and spark.kubernetes.executor.podTemplateFile), or name a namespace that demands less with spark.kubernetes.namespace.",
  ),
  SUBMIT_ERR_KUBE_NAMESPACE_TERMINATING: defineRefusal<RefusedCall & { namespace: string | undefined }>(
    ({ namespace = "" }) =>
      `Wait until the namespace ${namespace} is gone and create it anew, or name another one with spark.kubernetes.namespace.`,
  ),
  SUBMIT_ERR_KUBE_ADMISSION: defineRefusal(
    () =>
      "This is a rule of the cluster and no matter of your rights: change what the message names, or ask who made the rule.",
  ),
  SUBMIT_ERR_KUBE_NOT_FOUND: defineRefusal<
    RefusedCall & {
      missingNamespace: string | undefined;
      /** E.g. `podgroups.scheduling.volcano.sh`, of a kind that no server has by itself. */
      missingKind: string | undefined;
    }
  >(({ missingNamespace, missingKind, server }) => {
    if (missingNamespace !== undefined)
      return `Create it with: kubectl create namespace ${missingNamespace}. Or name another one with spark.kubernetes.namespace.`;
    return missingKind === undefined
      ? `Check that ${server} is a Kubernetes API server that serves this kind.`
      : `The cluster does not know ${missingKind}: install what defines them (kubectl get crd ${missingKind} shows it), or leave out the feature step that needs them.`;
  }),
  SUBMIT_ERR_KUBE_CONFLICT: defineRefusal<
    RefusedCall & {
      resource: string;
      /** The name of what exists already; `undefined` when the conflict is about something else. */
      existing: string | undefined;
      namespace: string | undefined;
    }
  >(({ resource, existing, namespace }) =>
    existing === undefined
      ? "Another client changed the object at the same time: try again."
      : `Choose another name, or look at what is in the way: kubectl get ${resource} ${existing}${inNamespace(namespace)}`,
  ),
  SUBMIT_ERR_KUBE_TOO_LARGE: defineRefusal(
    () =>
      "A ConfigMap or Secret holds at most 1 MiB: take large files out of the configuration directory, or pass them with --files.",
  ),
  SUBMIT_ERR_KUBE_INVALID: defineRefusal(
    () => "Correct the setting or the pod template that the message names.",
  ),
  SUBMIT_ERR_KUBE_REJECTED: defineRefusal<RefusedCall & { status: number }>(({ status, server, message }) => {
    if (/HTTP request (?:was sent )?to (?:an )?HTTPS/i.test(message)) {
      return `${server} wants encryption: write --master k8s://https://${new URL(server).host}.`;
    }
    return status >= 500 || status === 429
      ? `${server} answered ${status} to every attempt: try again later, or look at the API server's own log.`
      : `${server} answered ${status}, which no submission expects: check that it is a Kubernetes API server.`;
  }),
  SUBMIT_ERR_KUBE_RESPONSE: define<{ method: string; url: string; reason: string }>({
    kind: "cluster",
    javaClass: kubernetesException,
    text: ({ method, url, reason }) => `The answer to ${method} ${url} cannot be read: ${reason}`,
    hint: () => "Check that the address in --master is a Kubernetes API server and not a proxy's login page.",
  }),
  SUBMIT_ERR_KUBE_CONFIG: define<{ path: string; reason: string }>({
    kind: "setting",
    text: ({ path, reason }) => `The kubeconfig ${path} cannot be used: ${reason}`,
    hint: ({ path }) =>
      `Correct it, or name another file in KUBECONFIG; kubectl --kubeconfig ${path} config view checks it.`,
  }),
  SUBMIT_ERR_KUBE_AUTH_FILE: define<{ path: string; what: string; reason: string }>({
    kind: "setting",
    javaClass: kubernetesException,
    text: ({ path, what, reason }) =>
      `An error has occurred. The ${what} cannot be read: ${path} (${reason})`,
    hint: () => "Name a file that exists and that you may read.",
  }),
  SUBMIT_ERR_KUBE_AUTH_CONFLICT: define<{ prefix: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ prefix }) =>
      `requirement failed: Cannot specify OAuth token through both a file ${prefix}.oauthTokenFile and a value ${prefix}.oauthToken.`,
  }),
  SUBMIT_ERR_KUBE_AUTH_TOKEN: define<Record<never, never>>({
    kind: "setting",
    text: () => "The bearer token holds a line break or another character that no HTTP header may have.",
    hint: () => "A token file must end with the token itself, without a newline: write it with printf %s.",
  }),
  SUBMIT_ERR_KUBE_CONTEXT: define<{ context: string; missing: string; known: readonly string[] }>({
    kind: "setting",
    text: ({ context, missing }) => `The kubeconfig's context ${context} cannot be used: ${missing}.`,
    hint: ({ known }) =>
      `Choose a context with spark.kubernetes.context; these exist: ${known.join(", ") || "none"}.`,
  }),
  SUBMIT_ERR_KUBE_AUTH_EXEC: define<{ user: string; command: string; problem: string; advice: string }>({
    kind: "setting",
    javaClass: kubernetesException,
    text: ({ user, command, problem }) =>
      `The program ${command}, which gives the credentials of the kubeconfig's user ${user}, ${problem}`,
    hint: ({ advice }) => advice,
  }),
  SUBMIT_ERR_KUBE_AUTH_PROVIDER: define<{
    user: string;
    provider: string;
    problem: string;
    advice: string;
  }>({
    kind: "setting",
    javaClass: kubernetesException,
    text: ({ user, provider, problem }) =>
      `The auth-provider ${provider} of the kubeconfig's user ${user} gives no token: ${problem}`,
    hint: ({ advice }) => advice,
  }),
  SUBMIT_ERR_KUBE_AUTH_PEM: define<{ what: string; reason: string }>({
    kind: "setting",
    javaClass: kubernetesException,
    text: ({ what, reason }) => `An error has occurred. The ${what} cannot be used: ${reason}`,
    hint: () => "It must be in PEM form, and a client certificate and a client key must belong together.",
  }),
  SUBMIT_ERR_KUBE_AUTH_KEY: define<{ isPassphraseGiven: boolean }>({
    kind: "setting",
    text: ({ isPassphraseGiven }) =>
      `The client key is encrypted, and ${isPassphraseGiven ? "the pass phrase does not open it" : "there is no pass phrase for it"}.`,
    hint: () =>
      "Give the pass phrase in KUBERNETES_CERTS_CLIENT_KEY_PASSPHRASE, or name a key without one: openssl pkey -in FILE -out PLAIN.",
  }),
  SUBMIT_ERR_KUBE_PROXY: define<{ variable: string }>({
    kind: "setting",
    text: ({ variable }) =>
      `The proxy in ${variable} is not a URL of the form http://host:port, https://host:port or socks5://host:port.`,
    hint: ({ variable }) =>
      `Correct or unset ${variable}; NO_PROXY names the servers that are reached without it.`,
  }),
  SUBMIT_ERR_STAGING_REJECTED: define<{ server: string; what: string; status: number; message: string }>({
    kind: "cluster",
    text: ({ server, what, status, message }) => `${server} refused ${what} (${status}): ${message}`,
    hint: ({ status }) =>
      status === 401 || status === 403
        ? "Whoever runs it decides who may send files to it, and how many."
        : "Its log tells more.",
  }),
  SUBMIT_ERR_STAGING_UNREACHABLE: define<{ server: string; reason: string; isKept: boolean }>({
    kind: "unreachable",
    text: ({ server, reason }) => `The files could not be sent to ${server}: ${reason}`,
    hint: ({ isKept }) =>
      isKept
        ? "What was sent is kept for a while: the same submission goes on from there."
        : "What was sent is gone with the driver's pod. Submit again when the way there is open; another transport, or another way of `push`, may be.",
  }),
  SUBMIT_ERR_STAGED_FILE_CHANGED: define<{ path: string }>({
    kind: "dependency",
    text: ({ path }) => `${path} changed while it was being sent.`,
    hint: () => "Submit again when nothing writes to it any more.",
  }),
  SUBMIT_ERR_CLEANUP_INCOMPLETE: define<{ namespace: string; references: readonly string[]; reason: string }>(
    {
      kind: "cluster",
      // No hint: it is told where Spark's way is wanted, too.
      text: ({ namespace, references, reason }) =>
        `This may be left behind in namespace ${namespace}: ${references.join(", ")} (${reason}). Remove it by hand: kubectl delete --ignore-not-found -n ${namespace} ${references.join(" ")}`,
    },
  ),
  SUBMIT_ERR_INTERRUPTED: define<Record<never, never>>({
    kind: "environment",
    text: () => "Interrupted.",
  }),
  SUBMIT_ERR_SPARK_INSTALL: define<{ version: string; reasons: readonly string[] }>({
    kind: "environment",
    text: ({ version, reasons }) => [`Spark ${version} could not be had.`, ...reasons].join("\n  "),
    hint: () =>
      "Install python3 and pip (Debian, Ubuntu: apt-get install python3-pip) and try again, or unpack a Spark distribution and name its folder in SPARK_HOME.",
  }),
  SUBMIT_ERR_IMAGE_ARCHIVE: define<{ file: string; reason: string }>({
    kind: "dependency",
    text: ({ file, reason }) => `No image can be loaded from ${file}: ${reason}`,
    hint: () =>
      "Make it with `docker save NAME -o FILE`, `podman save`, or as an OCI layout in a tar archive.",
  }),
  SUBMIT_ERR_IMAGE_NOT_FOUND: define<{ name: string; known: readonly string[] }>({
    kind: "usage",
    text: ({ name }) => `No image of that name was loaded: ${name}`,
    hint: ({ known }) => (known.length === 0 ? "None was loaded." : `Loaded are: ${known.join(", ")}.`),
  }),
  SUBMIT_ERR_JAVA_MISSING: define<{ reason: string; advice: string }>({
    kind: "environment",
    text: ({ reason }) => `Spark needs Java 17 or later, and there is none. ${reason}`,
    hint: ({ advice }) => advice,
  }),
  SUBMIT_ERR_CLUSTER_START: define<{ name: string; log: string; lines: string }>({
    kind: "environment",
    text: ({ name, lines }) => `The cluster "${name}" did not start.${lines === "" ? "" : `\n${lines}`}`,
    hint: ({ log }) => `The whole log is in ${log}.`,
  }),
  SUBMIT_ERR_FILE_SYSTEM: define<{ reason: string }>({
    kind: "environment",
    text: ({ reason }) => `This machine does not let us use a file: ${reason}`,
    hint: () =>
      "Give this user the right to it, or make room. Our own files lie where FIRESTEEL_STATE (clusters) and FIRESTEEL_CACHE (Sparks, Javas, images) say, else in the home directory.",
  }),
  SUBMIT_ERR_CLUSTER_IN_USE: define<{ name: string; pid: number }>({
    kind: "environment",
    text: ({ name, pid }) => `The cluster "${name}" is served by process ${pid} already.`,
    hint: ({ name }) => `End it first: firesteel cluster stop${name === "default" ? "" : ` --name ${name}`}`,
  }),
  SUBMIT_ERR_CLUSTER_STATE: define<{ path: string; offset: number; reason: string }>({
    kind: "environment",
    text: ({ path, offset, reason }) =>
      `The state of the cluster cannot be read: ${path} at byte ${offset}: ${reason}.`,
    hint: () =>
      "`firesteel cluster start --repair` keeps what can be read and puts the damaged files aside; `firesteel cluster delete` removes the cluster with all its objects.",
  }),
  SUBMIT_ERR_CLUSTER_API_ONLY: define<{ name: string }>({
    kind: "environment",
    text: ({ name }) => `The cluster "${name}" was started with --api-only and runs no pods.`,
    hint: () => "Stop it (firesteel cluster stop), or start it without --api-only.",
  }),
  SUBMIT_ERR_JAVA_COMPILE: define<{ reason: string }>({
    kind: "environment",
    text: ({ reason }) => `The Java example could not be compiled: ${reason}`,
    hint: () =>
      "It needs a JDK, 17 or later (Debian, Ubuntu: apt-get install openjdk-17-jdk-headless). The example in Python needs none: npm start.",
  }),
  SUBMIT_ERR_CLUSTER_NOT_FOUND: define<{ name: string }>({
    kind: "environment",
    text: ({ name }) => `The cluster "${name}" is not running.`,
    hint: ({ name }) => `Start it: firesteel cluster start${name === "default" ? "" : ` --name ${name}`}`,
  }),
  SUBMIT_ERR_CHAOS_FIELD: define<{ field: string; value: string; allowed: string }>({
    kind: "usage",
    text: ({ field, value, allowed }) => `Chaos: ${field} cannot be '${value}'; allowed: ${allowed}.`,
  }),
  SUBMIT_ERR_CHAOS_NOT_FOUND: define<{ what: string; name: string; known: readonly string[] }>({
    kind: "usage",
    text: ({ what, name }) => `There is no ${what} ${name}.`,
    hint: ({ known }) => (known.length === 0 ? "There is none at all." : `There are: ${known.join(", ")}.`),
  }),
  SUBMIT_ERR_CHAOS_REJECTED: define<{ message: string }>({
    kind: "environment",
    text: ({ message }) => `The cluster refused: ${message}`,
  }),
  SUBMIT_ERR_UI_NOT_FOUND: define<{ word: string; known: readonly string[] }>({
    kind: "usage",
    text: ({ word }) => (word === "" ? "No driver runs." : `No driver of that name runs: ${word}`),
    hint: ({ known }) =>
      known.length === 0
        ? "A UI is there as long as its driver runs in a pod of this cluster, unless spark.ui.enabled is false."
        : `These run: ${known.join(", ")}.`,
  }),
  SUBMIT_ERR_UI_NO_RESPONSE: define<{ pod: string; url: string }>({
    kind: "environment",
    text: ({ pod, url }) => `The driver ${pod} does not serve its UI at ${url}.`,
    hint: ({ pod }) =>
      `It may have just ended, or spark.ui.enabled or spark.ui.port say otherwise. Its log: kubectl logs ${pod}`,
  }),
  SUBMIT_ERR_SANDBOX: define<{ name: string; reason: string }>({
    kind: "environment",
    text: ({ name, reason }) => `Containers cannot be run by ${name} here: ${reason}`,
    hint: () =>
      "Install bubblewrap, or allow user namespaces (sysctl user.max_user_namespaces; on Ubuntu 24.04 and later kernel.apparmor_restrict_unprivileged_userns=0), or choose the sandbox `process`, which isolates nothing.",
  }),
  SUBMIT_ERR_RECORD: define<{ path: string; reason: string }>({
    kind: "dependency",
    text: ({ path, reason }) => `${path} is no record of a submission: ${reason}.`,
    hint: () => "A record is one JSON object with startedAt, endMs and timeline.",
  }),
  SUBMIT_ERR_STAGING_PROPERTIES: define<{ path: string }>({
    kind: "usage",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ path }) => `Server properties file given at ${path} does not exist or is not a file.`,
  }),
  SUBMIT_ERR_STAGING_STORE: define<object>({
    kind: "usage",
    text: () => "The staging server has no folder to keep files in.",
    hint: () =>
      "Give it one that outlives restarts, e.g. of a PersistentVolume: --store /var/lib/firesteel-staging",
  }),
  SUBMIT_ERR_STAGING_TLS: define<{ reason: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ reason }) => `requirement failed: ${reason}`,
  }),
  SUBMIT_ERR_STAGING_START: define<{ reason: string }>({
    kind: "environment",
    text: ({ reason }) => `The staging server cannot start: ${reason}`,
    hint: () =>
      "docs/staging-server.md tells what it needs: a folder that it may write, a free port, its key and certificate.",
  }),
  SUBMIT_ERR_YARN_EXECUTOR_MEMORY: define<{
    heapMiB: number;
    offHeapMiB: number;
    overheadMiB: number;
    pysparkMiB: number;
    maximumMiB: number;
  }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ heapMiB, offHeapMiB, overheadMiB, pysparkMiB, maximumMiB }) =>
      `Required executor memory (${heapMiB} MB), offHeap memory (${offHeapMiB}) MB, overhead (${overheadMiB} MB), and PySpark memory (${pysparkMiB} MB) is ${aboveYarnMaximum(maximumMiB)}`,
  }),
  SUBMIT_ERR_YARN_DRIVER_MEMORY: define<{ heapMiB: number; overheadMiB: number; maximumMiB: number }>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ heapMiB, overheadMiB, maximumMiB }) =>
      `Required AM memory (${heapMiB}+${overheadMiB} MB) is ${aboveYarnMaximum(maximumMiB)}`,
  }),
  SUBMIT_ERR_YARN_ARCHIVE_LOCAL: define<Record<never, never>>({
    kind: "setting",
    wording: "spark",
    javaClass: illegalArgument,
    text: () => "requirement failed: spark.yarn.archive cannot be a local URI.",
    hint: () => "Where every node has Spark, name its jars: --conf spark.yarn.jars=local:/opt/spark/jars/*",
  }),
  SUBMIT_ERR_YARN_FILE_DUPLICATE: define<{ uri: string }>({
    kind: "dependency",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ uri }) => `Attempt to add (${uri}) multiple times to the distributed cache.`,
    hint: () =>
      "Files of one name cannot be told apart in a container, whatever their folders and #names are.",
  }),
  SUBMIT_ERR_YARN_FILE_MISSING: define<{ uri: string }>({
    kind: "dependency",
    wording: "spark",
    javaClass: "java.io.FileNotFoundException",
    text: ({ uri }) => `File ${uri} does not exist`,
  }),
  SUBMIT_ERR_YARN_NO_SPARK: define<Record<never, never>>({
    kind: "environment",
    text: () =>
      "YARN has no Spark for the containers: neither spark.yarn.archive nor spark.yarn.jars is set, and no Spark is on this machine to upload.",
    hint: () =>
      "Name one of the cluster: --conf spark.yarn.archive=hdfs:///spark/4.3.0.zip or --conf spark.yarn.jars=local:/opt/spark/jars/*; or get one: firesteel spark install",
  }),
  SUBMIT_ERR_YARN_PYSPARK: define<{ path: string }>({
    kind: "environment",
    wording: "spark",
    javaClass: illegalArgument,
    text: ({ path }) => `requirement failed: ${path} not found; cannot run pyspark application in YARN mode.`,
    hint: () =>
      "PYSPARK_ARCHIVES_PATH names the archives: local:/opt/spark/python/lib/pyspark.zip,local:/opt/spark/python/lib/py4j-0.10.9.9-src.zip where every node has them; SPARK_HOME, a Spark of this machine.",
  }),
  SUBMIT_ERR_YARN_SPARKR: define<{ missing: "SPARK_HOME" | "sparkr.zip" }>({
    kind: "environment",
    wording: "spark",
    text: ({ missing }) => `${missing} does not exist for R application in YARN mode.`,
    hint: () =>
      "SPARK_HOME names a Spark of this machine with R/lib/sparkr.zip: Apache's archives have it, those of PyPI do not.",
  }),
  SUBMIT_ERR_YARN_NOT_EXPRESSED: define<{ what: string; reason: string }>({
    kind: "setting",
    text: ({ what, reason }) => `${what} cannot be submitted to YARN without a JVM: ${reason}.`,
    hint: () => yarnJvmHint,
  }),
  SUBMIT_ERR_YARN_SUBMIT: define<{ appId: string; reason: string }>({
    kind: "cluster",
    wording: "spark",
    javaClass: "org.apache.hadoop.yarn.exceptions.YarnException",
    text: ({ appId, reason }) => `Failed to submit ${appId} to YARN : ${reason}`,
    hint: () => "yarn queue -status and yarn node -list tell what the cluster has.",
  }),
  SUBMIT_ERR_YARN_NO_ADDRESS: define<Record<never, never>>({
    kind: "setting",
    text: () => "The ResourceManager's address is not known.",
    hint: () =>
      "yarn-site.xml in HADOOP_CONF_DIR or YARN_CONF_DIR tells it: yarn.resourcemanager.hostname, or yarn.resourcemanager.webapp.address",
  }),
  SUBMIT_ERR_YARN_APP_UNKNOWN: define<{ appId: string }>({
    kind: "cluster",
    text: ({ appId }) => `Application ${appId} not found.`,
    hint: () => "An ID of YARN is application_NUMBER_NUMBER; a ResourceManager forgets old applications.",
  }),
  SUBMIT_ERR_YARN_APP_ID: define<{ text: string }>({
    kind: "usage",
    text: ({ text }) => `${text} is no ID of an application on YARN.`,
    hint: () => "An ID of YARN is application_NUMBER_NUMBER, e.g. application_1700000000000_0001.",
  }),
  SUBMIT_ERR_YARN_APP_ENDED: define<{ appId: string; how: "failed" | "killed" | "undefined" }>({
    kind: "cluster",
    wording: "spark",
    text: ({ appId, how }) =>
      how === "failed"
        ? `Application ${appId} finished with failed status`
        : how === "killed"
          ? `Application ${appId} is killed`
          : `The final status of application ${appId} is undefined`,
    hint: ({ appId }) => `Its logs: yarn logs -applicationId ${appId}`,
  }),
  SUBMIT_ERR_HADOOP_CONF: define<{ path: string; reason: string }>({
    kind: "setting",
    text: ({ path, reason }) => `Hadoop's configuration in ${path} cannot be read: ${reason}.`,
    hint: () => "HADOOP_CONF_DIR and YARN_CONF_DIR name the folders of these files.",
  }),
  SUBMIT_ERR_HADOOP_FILE_SYSTEM: define<{ uri: string; reason: string }>({
    kind: "setting",
    text: ({ uri, reason }) => `The file system of ${uri} cannot be used: ${reason}.`,
    hint: () =>
      "A file of HDFS is written hdfs://NAMESERVICE/PATH, hdfs://HOST:PORT/PATH or webhdfs://HOST:PORT/PATH.",
  }),
  SUBMIT_ERR_HADOOP_REJECTED: define<{
    server: string;
    what: string;
    of: string;
    exception: string;
    message: string;
  }>({
    kind: "cluster",
    text: ({ server, what, of, exception, message }) =>
      `${server} refused to ${what} ${of}: ${exception}: ${message}`,
    hint: ({ exception, message }) => hadoopHint(`${exception}: ${message}`),
  }),
  SUBMIT_ERR_HADOOP_UNREACHABLE: define<{ servers: string; what: string; of: string; reason: string }>({
    kind: "unreachable",
    text: ({ servers, what, of, reason }) => `Nobody could be asked to ${what} ${of}: ${servers}: ${reason}`,
    hint: ({ reason }) =>
      /certificate/.test(reason)
        ? "NODE_EXTRA_CA_CERTS=FILE.pem trusts further authorities; Hadoop's ssl-client.xml names a store that only Java reads."
        : "Check the web addresses in hdfs-site.xml (dfs.namenode.http-address) and yarn-site.xml (yarn.resourcemanager.webapp.address), and the network; curl ADDRESS asks the same server.",
  }),
  SUBMIT_ERR_HADOOP_SECURED: define<{ server: string; challenge: string }>({
    kind: "environment",
    text: ({ server, challenge }) =>
      `${server} wants its callers to prove who they are (${challenge}), and Kerberos is not spoken here.`,
    hint: () => yarnJvmHint,
  }),
  SUBMIT_ERR_STEP_CONFLICT: define<{ what: string; first: string; second: string }>({
    kind: "internal",
    text: ({ what, first, second }) => `The steps ${first} and ${second} both set ${what}.`,
    hint: () => "A step of yours changes in `transform` what another one sets.",
  }),
};

/** The name of a row; it never changes its meaning. */
export type ErrorCode = keyof typeof errorCodes;

type FieldsByCode = { readonly [C in ErrorCode]: Parameters<(typeof errorCodes)[C]["text"]>[0] };

/** The fields that the words of a code are made of. */
export type ErrorFields<C extends ErrorCode> = FieldsByCode[C];

/** The rows by their codes. */
export type ErrorRows = { readonly [C in ErrorCode]: ErrorCodeEntry<ErrorFields<C>> };

/** One row of the whole catalogue. */
export function catalogueEntry<C extends ErrorCode>(code: C): ErrorRows[C] {
  const rows: ErrorRows = errorCodes;
  return rows[code];
}
