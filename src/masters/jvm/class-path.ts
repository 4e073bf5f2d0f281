import * as app from "../../conf/entries/app.ts";
import * as driver from "../../conf/entries/driver.ts";
import { newestRelease, type SparkLine, traitsOf } from "../../conf/spark-version.ts";
import { confDirectory, isClientMode, type Launch, launchSetting, launchVariable } from "./launch.ts";

/**
 * Builds the class path of Spark's JVM, in order and without duplicates.
 *
 * Source: Spark AbstractCommandBuilder.buildClassPath; recorded with 3.5.9 to 4.3.0.
 */
export function classPath(launch: Launch): readonly string[] {
  const jars = jarsDirectory(launch);
  const entries = [
    ...(isClientMode(launch) ? [launchSetting(launch, driver.driverExtraClassPath)] : []),
    ...defaultClassPath(launch),
    confDirectory(launch),
    ...developerClasses(launch),
    ...(launch.line === "3.5" ? [] : jarNames(launch, jars).filter((name) => name.startsWith("slf4j-api-"))).map(
      (name) => `${jars}/${name}`,
    ),
    ...(usesConnectClient(launch) ? connectJars(launch, jars) : [`${jars}/*`]),
    ...["HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_DIST_CLASSPATH"].map((name) => launch.host.env[name]),
  ];
  const single = entries.flatMap((entry) => (entry ?? "").split(":")).filter((entry) => entry !== "");
  return [...new Set(single.map((entry) => withSlash(launch, entry)))];
}

/** Returns the directory of Spark's jars: that of a distribution, else that of a source tree. */
export function jarsDirectory(launch: Launch): string {
  const { host, home } = launch;
  if (host.files.info(`${home}/jars`)?.kind === "directory") return `${home}/jars`;
  return `${home}/assembly/target/scala-${scalaVersion(launch)}/jars`;
}

/** Returns the Scala version of a source tree's directories. */
export function scalaVersion(launch: Launch): string {
  return launchVariable(launch, "SPARK_SCALA_VERSION") ?? newestRelease(launch.line).scala;
}

function defaultClassPath(launch: Launch): readonly (string | undefined)[] {
  if (launch.line === "3.5") return [];
  const extraClassPath = launch.settings.get(driver.driverDefaultExtraClassPath.key);
  return [extraClassPath ?? (launch.line === "4.0" ? "hive-jackson/*" : undefined)];
}

/** Returns whether the JVM is a Spark Connect client, whose class path omits Spark SQL. */
export function usesConnectClient(launch: Launch): boolean {
  if (launch.line === "3.5") return false;
  // As a setting, the remote takes precedence over the API mode; as an option it does not.
  if (launch.settings.has(app.remote.key)) return true;
  const mode = launch.settings.get(app.apiMode.key)?.toLowerCase();
  if (mode !== undefined) return mode === "connect";
  const { remote } = launch.invocation.fields;
  if (remote !== undefined || launch.host.env["SPARK_REMOTE"] !== undefined) return true;
  return launchVariable(launch, "SPARK_CONNECT_MODE") === "1";
}

const shadedByConnect = ["spark-sql_", "spark-connect_", "spark-sql-api_", "spark-connect-common_"];

function connectJars(launch: Launch, jars: string): readonly string[] {
  return jarNames(launch, jars).flatMap((name) => {
    if (name === "connect-repl") return [`${jars}/connect-repl/*`];
    return shadedByConnect.some((prefix) => name.startsWith(prefix)) ? [] : [`${jars}/${name}`];
  });
}

function jarNames({ host }: Launch, jars: string): readonly string[] {
  return host.files.list(jars, { sorted: false }) ?? [];
}

const projects: readonly string[] = [
  ...["kvstore", "network-common", "network-shuffle", "network-yarn", "sketch", "tags", "unsafe"].map(
    (name) => `common/${name}`,
  ),
  ...["core", "examples", "graphx", "launcher", "mllib", "repl"],
  ...["resource-managers/mesos", "resource-managers/yarn"],
  ...["sql/catalyst", "sql/core", "sql/hive", "sql/hive-thriftserver", "streaming"],
];

/** Returns the classes compiled in a source tree, if SPARK_PREPEND_CLASSES is set. */
function developerClasses(launch: Launch): readonly string[] {
  if (launchVariable(launch, "SPARK_PREPEND_CLASSES") === undefined) return [];
  const { home, line } = launch;
  const target = `target/scala-${scalaVersion(launch)}/classes`;
  return [
    ...projects.filter((name) => isProjectOf(name, line)).map((name) => `${home}/${name}/${target}`),
    ...["core", "mllib"].map((name) => `${home}/${name}/target/jars/*`),
  ];
}

function isProjectOf(name: string, line: SparkLine): boolean {
  return name !== "resource-managers/mesos" || traitsOf(line).mesos;
}

/** Appends a slash to a directory, so that its contents are found. */
function withSlash({ host }: Launch, entry: string): string {
  return !entry.endsWith("/") && host.files.info(entry)?.kind === "directory" ? `${entry}/` : entry;
}
