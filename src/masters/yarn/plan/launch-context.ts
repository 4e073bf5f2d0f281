import type { Behaviors } from "../../../conf/behaviors.ts";
import { yarnDistPyFiles } from "../../../conf/entries/app.ts";
import {
  driverDefaultJavaOptions,
  driverExtraClassPath,
  driverExtraJavaOptions,
  driverExtraLibraryPath,
} from "../../../conf/entries/driver.ts";
import { executorEnv } from "../../../conf/entries/executor.ts";
import {
  yarnAmEnv,
  yarnArchive,
  yarnGatewayPath,
  yarnJars,
  yarnPopulateHadoopClasspath,
  yarnReplacementPath,
} from "../../../conf/entries/yarn.ts";
import type { SparkConf } from "../../../conf/spark-conf.ts";
import { javaModuleOptions } from "../../../plan/java-module-options.ts";
import type { ApplicationRequest } from "../../../plan/submit-request.ts";
import { parseOptionString } from "../../../values/option-string.ts";
import { parseUri } from "../../../values/uri.ts";
import { appJarOf, isContainerLocal } from "./distributed-files.ts";
import { type YarnFacts, yarnNames } from "./yarn-facts.ts";

/** Application on YARN with its planned files and settings. */
export interface YarnApplication {
  readonly request: ApplicationRequest;
  /** Settings after `planDistribution`. */
  readonly conf: SparkConf;
  readonly facts: YarnFacts;
  /** E.g. `application_1700000000000_0001`. */
  readonly appId: string;
  /** URI of its staging directory. */
  readonly stagingDirectory: string;
}

/** Placeholders that NodeManagers replace by their path separator and variables. */
const separator = "<CPS>";
const workingDirectory = "{{PWD}}";
const logDirectory = "<LOG_DIR>";

/**
 * Builds the environment of a driver on YARN, in Spark's order, and the resulting settings.
 *
 * Source: Spark yarn.Client.setupLaunchEnv; recorded with Spark 4.3.0.
 */
export function launchEnvironment(application: YarnApplication): {
  readonly env: ReadonlyMap<string, string>;
  readonly conf: SparkConf;
} {
  const { conf, facts, stagingDirectory } = application;
  const env = new Map([
    ["CLASSPATH", classPath(application).join(separator)],
    ["SPARK_YARN_STAGING_DIR", stagingDirectory],
    ["SPARK_PREFER_IPV6", "false"],
  ]);
  const join = (...parts: readonly (string | undefined)[]) =>
    parts.filter((part) => part !== undefined).join(separator);
  for (const [name, value] of conf.withPrefix(yarnAmEnv)) env.set(name, join(env.get(name), value));
  if (!env.has("SPARK_USER")) env.set("SPARK_USER", facts.runsAs);
  const pythonPath = pythonPathOf(application);
  for (const name of ["PYSPARK_DRIVER_PYTHON", "PYSPARK_PYTHON"]) {
    const value = facts.env[name];
    if (value !== undefined && !env.has(name)) env.set(name, value);
  }
  // Apache's script always sets it before it starts the JVM.
  env.set("PYTHONHASHSEED", "0");
  const distClassPath = facts.env["SPARK_DIST_CLASSPATH"];
  if (distClassPath !== undefined) env.set("SPARK_DIST_CLASSPATH", distClassPath);
  if (pythonPath.length === 0) return { env, conf };
  const own = [facts.env["PYTHONPATH"], ...pythonPath];
  env.set("PYTHONPATH", join(env.get("PYTHONPATH"), ...own));
  const name = "PYTHONPATH";
  const forExecutors = join(conf.withPrefix(executorEnv).get(name), ...own);
  return { env, conf: conf.with(`${executorEnv.prefix}${name}`, forExecutors) };
}

function pythonPathOf({ conf, facts }: YarnApplication): readonly string[] {
  const pyFiles = conf.get(yarnDistPyFiles);
  const isFile = (uri: string) => uri.endsWith(".py");
  const archives = [...facts.pythonArchives, ...pyFiles.filter((uri) => !isFile(uri))];
  return [
    ...(pyFiles.some(isFile) ? [`${workingDirectory}/${yarnNames.pyFiles}`] : []),
    ...archives.map((uri) => {
      const path = parseUri(uri)?.path ?? "";
      return isContainerLocal(uri) ? path : `${workingDirectory}/${path.replace(/^.*\//, "")}`;
    }),
  ];
}

function classPath({ conf, facts }: YarnApplication): readonly string[] {
  const here = (...parts: readonly string[]) => [workingDirectory, ...parts].join("/");
  const inCluster = (path: string) => clusterPath(conf, path);
  const extra = conf.get(driverExtraClassPath);
  const localJars = conf.has(yarnArchive) ? [] : (conf.get(yarnJars) ?? []).filter(isContainerLocal);
  const distributed = facts.env["SPARK_DIST_CLASSPATH"];
  return [
    ...(extra === undefined ? [] : [inCluster(extra)]),
    ...[here(), here(yarnNames.conf), here(yarnNames.libraries, "*")],
    ...localJars.map((uri) => inCluster(parseUri(uri)?.path ?? "")),
    ...(conf.get(yarnPopulateHadoopClasspath) ? hadoopClassPath(facts) : []),
    ...(distributed === undefined ? [] : [inCluster(distributed)]),
    here(yarnNames.conf, yarnNames.hadoopConf),
  ];
}

/** Default of Hadoop's class path if the cluster's configuration has none. Source: Hadoop yarn-default.xml, mapred-default.xml. */
const defaultHadoopClassPath = {
  "yarn.application.classpath": [
    "$HADOOP_CONF_DIR",
    ...["COMMON", "HDFS", "YARN"].flatMap((part) => {
      const directory = `$HADOOP_${part}_HOME/share/hadoop/${part.toLowerCase()}`;
      return [`${directory}/*`, `${directory}/lib/*`];
    }),
  ],
  "mapreduce.application.classpath": ["*", "lib/*"].map((end) => `$HADOOP_MAPRED_HOME/share/hadoop/mapreduce/${end}`),
};

function hadoopClassPath({ hadoop }: YarnFacts): readonly string[] {
  return Object.entries(defaultHadoopClassPath).flatMap(([name, usual]) => {
    const configured = hadoop.getList(name);
    return configured.length > 0 ? configured : usual;
  });
}

function clusterPath(conf: SparkConf, path: string): string {
  const here = conf.get(yarnGatewayPath);
  const there = conf.get(yarnReplacementPath);
  return here === undefined || there === undefined ? path : path.replaceAll(here, there);
}

/** Builds the command of a driver's container. Source: Spark yarn.Client.createContainerLaunchContext; recorded with Spark 4.3.0. */
export function launchCommand(application: YarnApplication, heapMiB: number): string {
  const { conf, request, appId } = application;
  const { appResource, mainClass, appArgs } = request;
  const escapeForShell = shellEscape(request.behaviors);
  const libraryPath = conf.get(driverExtraLibraryPath);
  const jar = appJarOf(request);
  const file = fileNameOf(appResource.uri);
  const inConf = (name: string) => `${workingDirectory}/${yarnNames.conf}/${name}`;
  const args = [
    ...(libraryPath === undefined ? [] : [libraryPathPrefix(conf, libraryPath)]),
    ...["{{JAVA_HOME}}/bin/java", "-server", "-Djava.net.preferIPv6Addresses=false"],
    ...javaModuleOptions(conf.version.line),
    ...[`-Xmx${heapMiB}m`, `-Djava.io.tmpdir=${workingDirectory}/tmp`],
    ...javaOptions(conf).map((option) => escapeForShell(option.replaceAll("{{APP_ID}}", appId))),
    `-Dspark.yarn.app.container.log.dir=${logDirectory}`,
    "org.apache.spark.deploy.yarn.ApplicationMaster",
    ...["--class", escapeForShell(mainClass)],
    ...(jar === undefined ? [] : ["--jar", jar]),
    ...(appResource.kind === "python" ? ["--primary-py-file", file] : []),
    ...(appResource.kind === "r" ? ["--primary-r-file", file] : []),
    ...[...(appResource.kind === "r" ? [file] : []), ...appArgs].flatMap((argument) => [
      "--arg",
      escapeForShell(argument),
    ]),
    ...["--properties-file", inConf(yarnNames.confProperties)],
    ...["--dist-cache-conf", inConf(yarnNames.distCacheProperties)],
    ...[`1> ${logDirectory}/stdout`, `2> ${logDirectory}/stderr`],
  ];
  return args.join(" ");
}

function javaOptions(conf: SparkConf): readonly string[] {
  const texts = [conf.get(driverDefaultJavaOptions), conf.get(driverExtraJavaOptions)];
  return texts.flatMap((text) => (text === undefined ? [] : (parseOptionString(text) ?? [])));
}

function fileNameOf(uri: string): string {
  return (parseUri(uri)?.path ?? uri).replace(/^.*\//, "");
}

/** Escapes within single quotes, because NodeManagers pass the command to `bash -c` in double quotes. */
const escapes: Readonly<Record<string, string>> = { $: "\\$", '"': '\\"', "'": "'\\''" };

/** Escapes that Spark omits: the shell would run text between backquotes, and interpret a backslash. */
const additionalEscapes: Readonly<Record<string, string>> = { "`": "\\`", "\\": "\\\\" };

function shellEscape({ yarnEscapes }: Pick<Behaviors, "yarnEscapes">): (text: string) => string {
  const all = yarnEscapes === "spark" ? escapes : { ...escapes, ...additionalEscapes };
  return (text) => `'${Array.from(text, (character) => all[character] ?? character).join("")}'`;
}

function libraryPathPrefix(conf: SparkConf, path: string): string {
  const quoted = path.replaceAll('"', '\\\\\\"');
  return clusterPath(conf, `LD_LIBRARY_PATH=\\"${quoted}:$LD_LIBRARY_PATH\\"`);
}
