import { basename, resolve } from "node:path";
import { hadoopProperties, kerberosKeytab } from "../../conf/entries/hadoop.ts";
import { yarnAmTokenConfRegex, yarnArchive, yarnDriverResources, yarnJars } from "../../conf/entries/yarn.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { allOf, failure, type Issue, issue, type Result, success, unlessIssues } from "../../errors/issue.ts";
import { simpleUserName } from "../../hadoop/hadoop-call.ts";
import { hadoopDirectories, readHadoopConf } from "../../hadoop/read-hadoop-conf.ts";
import type { Host } from "../../host/host.ts";
import { undefinedIfForbidden } from "../../host/undefined-if-forbidden.ts";
import type { ApplicationRequest } from "../../plan/submit-request.ts";
import { confDirectoryPath } from "../../resolve/spark-env.ts";
import { listDistributions } from "../../spark/find-spark.ts";
import { printFileUri } from "../../values/uri.ts";
import type { NamedFile, YarnFacts } from "./plan/yarn-facts.ts";

/** Local facts for a submission to YARN, except those from the cluster's file system. */
export interface LocalYarnFacts extends Omit<YarnFacts, "sparkJars"> {
  /** Home of a local Spark, whose jars are uploaded if the cluster has none; `undefined` without a local Spark. */
  readonly sparkHome: string | undefined;
}

/**
 * Reads the local facts of a submission to YARN: Hadoop's configuration, the logging configuration and Spark's Python archives.
 *
 * Errors: SUBMIT_ERR_HADOOP_CONF, SUBMIT_ERR_YARN_PYSPARK, SUBMIT_ERR_YARN_SPARKR, SUBMIT_ERR_YARN_NO_SPARK.
 */
export function readYarnFacts(host: Host, request: ApplicationRequest): Result<LocalYarnFacts> {
  const { conf, appResource, proxyUser } = request;
  const { env } = host;
  const sparkConf = confDirectoryPath(host);
  const directories = [...(sparkConf === undefined ? [] : [sparkConf]), ...hadoopDirectories(host)];
  const hadoop = readHadoopConf(host, { directories, overrides: conf.withPrefix(hadoopProperties) });
  const sparkHome = listDistributions(host).find(
    ({ origin, version }) => origin === "SPARK_HOME" || version.startsWith(`${conf.version.line}.`),
  )?.home;
  const facts = allOf({
    hadoop,
    pythonArchives: appResource.kind === "python" ? findPythonArchives(host, sparkHome) : success([]),
    sparkR: appResource.kind === "r" ? findSparkR(host, sparkHome) : success(undefined),
    libraries:
      sparkHome === undefined && !conf.has(yarnArchive) && !conf.has(yarnJars)
        ? failure("SUBMIT_ERR_YARN_NO_SPARK", {})
        : success(undefined),
  });
  if (!facts.ok) return facts;
  const userName = simpleUserName(host);
  const { libraries: _, ...found } = facts.value;
  return success({
    ...{ userName, runsAs: proxyUser ?? userName, env, sparkHome, ...found },
    keytab: keytabOf(host, conf),
    confFiles: sparkConf === undefined ? [] : filesOf(host, sparkConf, isLoggingOrMetrics),
    hadoopFiles: hadoopFilesOf(host, sparkConf),
  });
}

/** Reports settings that the REST API or Firesteel does not support. */
export function unsupportedIssues(conf: SparkConf): readonly Issue[] {
  const resources = `${yarnDriverResources.prefix}*`;
  const hasResources = conf.withPrefix(yarnDriverResources).size > 0;
  const found: readonly (readonly [boolean, string, string])[] = [
    [hasResources, resources, "the REST API of YARN supports only memory and cores of drivers"],
    [conf.has(yarnAmTokenConfRegex), yarnAmTokenConfRegex.key, "the REST API of YARN accepts no token configuration"],
  ];
  return found.flatMap(([applies, what, reason]) =>
    applies ? [issue("SUBMIT_ERR_YARN_NOT_EXPRESSED", { what, reason })] : [],
  );
}

/** Returns the keytab of this machine. Its name in containers is unique, as in Spark yarn.Client. */
function keytabOf({ cwd, random }: Host, conf: SparkConf): YarnFacts["keytab"] {
  const path = conf.get(kerberosKeytab);
  if (path === undefined || path.startsWith("local:")) return undefined;
  return { uri: printFileUri(resolve(cwd, path)), link: `${basename(path)}-${random.uuid()}` };
}

/** Finds the zips of PySpark and Py4J. Source: Spark yarn.Client.findPySparkArchives. */
function findPythonArchives(host: Host, sparkHome: string | undefined): Result<readonly string[]> {
  const archivePaths = host.env["PYSPARK_ARCHIVES_PATH"];
  if (archivePaths !== undefined) {
    const archives = archivePaths.split(",").filter((item) => item !== "");
    return success(archives.map((item) => (/^[a-z]\w*:/.test(item) ? item : printFileUri(item))));
  }
  const directory = `${sparkHome ?? "$SPARK_HOME"}/python/lib`;
  const names = sparkHome === undefined ? [] : (host.files.list(directory) ?? []);
  const found = [/^pyspark\.zip$/, /^py4j-.*-src\.zip$/].map((pattern) => names.find((name) => pattern.test(name)));
  const missing = ["pyspark.zip", "py4j-*-src.zip"].filter((_, index) => found[index] === undefined);
  return unlessIssues(
    missing.map((name) => issue("SUBMIT_ERR_YARN_PYSPARK", { path: `${directory}/${name}` })),
    found.map((name) => printFileUri(`${directory}/${name}`)),
  );
}

/** Finds the zip of SparkR. Source: Spark SparkSubmit.prepareSubmitEnvironment. */
function findSparkR({ files }: Host, sparkHome: string | undefined): Result<string> {
  const path = `${sparkHome}/R/lib/sparkr.zip`;
  if (sparkHome !== undefined && files.info(path)?.kind === "file") return success(printFileUri(path));
  return failure("SUBMIT_ERR_YARN_SPARKR", { missing: sparkHome === undefined ? "SPARK_HOME" : "sparkr.zip" });
}

function isLoggingOrMetrics(name: string): boolean {
  return /^(?:log4j2\.(?:yaml|yml|json|jsn|xml|properties)|metrics\.properties)$/.test(name);
}

/** Lists files of the configuration directories without subdirectories. The first file of each name wins. */
function hadoopFilesOf(host: Host, sparkConf: string | undefined): readonly NamedFile[] {
  const found = [
    ...(sparkConf === undefined ? [] : filesOf(host, sparkConf, (name) => name.endsWith(".xml"))),
    ...hadoopDirectories(host).flatMap((directory) => filesOf(host, directory, () => true)),
  ];
  return found.filter(({ name }, index) => found.findIndex((other) => other.name === name) === index);
}

function filesOf({ files }: Host, directory: string, isIncluded: (name: string) => boolean): readonly NamedFile[] {
  return (files.list(directory) ?? []).filter(isIncluded).flatMap((name) => {
    const path = `${directory}/${name}`;
    if (files.info(path)?.kind !== "file") return [];
    const bytes = undefinedIfForbidden(() => files.readBytes(path));
    return bytes === undefined ? [] : [{ name, bytes }];
  });
}
