import { didYouMean } from "../did-you-mean.ts";
import { define } from "../error-code-entry.ts";
import { exceptionClasses } from "./exception-classes.ts";

const yarnJvmHint = "Set SPARK_HOME to a Spark distribution and FIRESTEEL_STRICT=1: its JVM then submits to YARN.";
const appIdHint = "Write an ID such as application_1700000000000_0001";

function hadoopHint(text: string): string {
  if (/^SafeMode/.test(text))
    return "Wait until HDFS leaves safe mode, in which it is read-only: hdfs dfsadmin -safemode wait";
  if (/Quota/.test(text)) return "Check the quota: hdfs dfs -count -q -v PATH";
  if (/impersonate/.test(text))
    return "Check hadoop.proxyuser.USER.hosts and .groups of the cluster: they define who can impersonate whom.";
  if (/^(?:HTTP \d|no )/.test(text))
    return "Query the same server with curl ADDRESS: the response may come from a proxy in front of it.";
  return "Set HADOOP_USER_NAME to the user for a cluster without Kerberos; the default is the user of this machine.";
}

function aboveYarnMaximum(maximumMiB: number): string {
  return `above the max threshold (${maximumMiB} MB) of this cluster! Please check the values of 'yarn.scheduler.maximum-allocation-mb' and/or 'yarn.nodemanager.resource.memory-mb'.`;
}

/** Codes about YARN and Hadoop: configuration, HDFS, the ResourceManager, applications. */
export const yarnCodes = {
  SUBMIT_ERR_YARN_EXECUTOR_MEMORY: define<{
    heapMiB: number;
    offHeapMiB: number;
    overheadMiB: number;
    pysparkMiB: number;
    maximumMiB: number;
  }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ heapMiB, offHeapMiB, overheadMiB, pysparkMiB, maximumMiB }) =>
      `Required executor memory (${heapMiB} MB), offHeap memory (${offHeapMiB}) MB, overhead (${overheadMiB} MB), and PySpark memory (${pysparkMiB} MB) is ${aboveYarnMaximum(maximumMiB)}`,
  }),
  SUBMIT_ERR_YARN_DRIVER_MEMORY: define<{ heapMiB: number; overheadMiB: number; maximumMiB: number }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ heapMiB, overheadMiB, maximumMiB }) =>
      `Required AM memory (${heapMiB}+${overheadMiB} MB) is ${aboveYarnMaximum(maximumMiB)}`,
  }),
  SUBMIT_ERR_YARN_ARCHIVE_LOCAL: define<Record<never, never>>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: () => "requirement failed: spark.yarn.archive cannot be a local URI.",
    hint: () => "If every node has Spark, use its jars: --conf spark.yarn.jars=local:/opt/spark/jars/*",
  }),
  SUBMIT_ERR_YARN_FILE_DUPLICATE: define<{ uri: string }>({
    kind: "dependency",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ uri }) => `Attempt to add (${uri}) multiple times to the distributed cache.`,
    hint: () =>
      "Rename one of the files: in a container, files with the same name collide, whatever their directory or #name.",
  }),
  SUBMIT_ERR_YARN_FILE_MISSING: define<{ uri: string; nearest?: string | undefined }>({
    kind: "dependency",
    wording: "spark",
    javaClass: "java.io.FileNotFoundException",
    text: ({ uri }) => `File ${uri} does not exist`,
    hint: ({ nearest, uri }) => `${didYouMean(nearest)}Correct the path ${uri}.`,
  }),
  SUBMIT_ERR_YARN_NO_SPARK: define<Record<never, never>>({
    kind: "environment",
    text: () =>
      "YARN containers have no Spark: neither spark.yarn.archive nor spark.yarn.jars is set, and this machine has no Spark distribution to upload.",
    hint: () =>
      "Use a Spark of the cluster: --conf spark.yarn.archive=hdfs:///spark/4.3.0.zip or --conf spark.yarn.jars=local:/opt/spark/jars/*. Or install one here: firesteel spark install",
  }),
  SUBMIT_ERR_YARN_PYSPARK: define<{ path: string }>({
    kind: "environment",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: ({ path }) => `requirement failed: ${path} not found; cannot run pyspark application in YARN mode.`,
    hint: () =>
      "If every node has the archives, set PYSPARK_ARCHIVES_PATH=local:/opt/spark/python/lib/pyspark.zip,local:/opt/spark/python/lib/py4j-0.10.9.9-src.zip; else set SPARK_HOME to a Spark distribution on this machine.",
  }),
  SUBMIT_ERR_YARN_SPARKR: define<{ missing: "SPARK_HOME" | "sparkr.zip" }>({
    kind: "environment",
    wording: "spark",
    text: ({ missing }) => `${missing} does not exist for R application in YARN mode.`,
    hint: () =>
      "Set SPARK_HOME to a Spark distribution with R/lib/sparkr.zip: archives from spark.apache.org have it, packages from PyPI do not.",
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
    hint: () => "Check the cluster's resources: yarn queue -status QUEUE, yarn node -list",
  }),
  SUBMIT_ERR_YARN_NO_ADDRESS: define<Record<never, never>>({
    kind: "setting",
    text: () => "No ResourceManager address is configured.",
    hint: () =>
      "Set yarn.resourcemanager.hostname or yarn.resourcemanager.webapp.address in yarn-site.xml, in the directory of HADOOP_CONF_DIR or YARN_CONF_DIR.",
  }),
  SUBMIT_ERR_YARN_APP_UNKNOWN: define<{ appId: string }>({
    kind: "cluster",
    text: ({ appId }) => `Application ${appId} not found.`,
    hint: () => "Check the ID: yarn application -list. A ResourceManager removes old applications.",
  }),
  SUBMIT_ERR_YARN_APP_ID: define<{ text: string }>({
    kind: "usage",
    text: ({ text }) => `Invalid YARN application ID "${text}": it does not have the form application_NUMBER_NUMBER.`,
    hint: () => `${appIdHint}.`,
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
    hint: ({ appId }) => `Read its logs: yarn logs -applicationId ${appId}`,
  }),
  SUBMIT_ERR_HADOOP_CONF: define<{ path: string; reason: string }>({
    kind: "setting",
    text: ({ path, reason }) => `Cannot read the Hadoop configuration in ${path}: ${reason}.`,
    hint: () => "Correct the file, or set HADOOP_CONF_DIR or YARN_CONF_DIR to another directory.",
  }),
  SUBMIT_ERR_HADOOP_FILE_SYSTEM: define<{ uri: string; reason: string }>({
    kind: "setting",
    text: ({ uri, reason }) => `Cannot use the file system of ${uri}: ${reason}.`,
    hint: () => "Write hdfs://NAMESERVICE/PATH, hdfs://HOST:PORT/PATH or webhdfs://HOST:PORT/PATH.",
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
      `${server} rejected the request to ${what} ${of}: ${exception}: ${message}`,
    hint: ({ exception, message }) => hadoopHint(`${exception}: ${message}`),
  }),
  SUBMIT_ERR_HADOOP_UNREACHABLE: define<{ servers: string; what: string; of: string; reason: string; advice?: string }>(
    {
      kind: "unreachable",
      text: ({ servers, what, of, reason }) => `Cannot ${what} ${of}: no server was reached: ${servers}: ${reason}`,
      hint: ({ advice }) =>
        advice === undefined
          ? "Check the network and the web addresses in hdfs-site.xml (dfs.namenode.http-address) and yarn-site.xml (yarn.resourcemanager.webapp.address); query the same server with curl ADDRESS."
          : `${advice} Only Java can read the store of Hadoop's ssl-client.xml.`,
    },
  ),
  SUBMIT_ERR_HADOOP_SECURED: define<{ server: string; challenge: string }>({
    kind: "setting",
    text: ({ server, challenge }) => `${server} rejected the user: it requires authentication (${challenge}).`,
    hint: ({ challenge }) =>
      /negotiate/i.test(challenge)
        ? "If the cluster requires Kerberos, set hadoop.security.authentication to kerberos in core-site.xml; if it is set, the server does not know your principal or the host name in its address."
        : "Only Kerberos and simple authentication are supported.",
  }),
};
