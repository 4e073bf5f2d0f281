import type { HadoopConf } from "../../../values/hadoop-conf.ts";

/** Environment facts that the plan of a submission to YARN needs. */
export interface YarnFacts {
  /** Submitting user: HADOOP_USER_NAME, else the operating system's user. */
  readonly userName: string;
  /** User that the application runs as: `--proxy-user`, else `userName`. */
  readonly runsAs: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hadoop: HadoopConf;
  /** Files of `spark.yarn.jars`, patterns replaced. `undefined` if it is not set. */
  readonly sparkJars: readonly string[] | undefined;
  /** Zips of PySpark for applications in Python, as URIs. */
  readonly pythonArchives: readonly string[];
  /** The zip of SparkR for applications in R, as a URI; else `undefined`. */
  readonly sparkR: string | undefined;
  /** Configuration of logging and metrics, found where Spark's configuration is. */
  readonly confFiles: readonly NamedFile[];
  /** Of SPARK_CONF_DIR those in XML, of HADOOP_CONF_DIR and YARN_CONF_DIR all. */
  readonly hadoopFiles: readonly NamedFile[];
}

export interface NamedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Names in a container's working directory that Spark's driver on YARN looks for. */
export const yarnNames = {
  conf: "__spark_conf__",
  confArchive: "__spark_conf__.zip",
  confProperties: "__spark_conf__.properties",
  distCacheProperties: "__spark_dist_cache__.properties",
  hadoopConf: "__hadoop_conf__",
  hadoopConfXml: "__spark_hadoop_conf__.xml",
  libraries: "__spark_libs__",
  librariesArchive: "__spark_libs__.zip",
  appJar: "__app__.jar",
  pyFiles: "__pyfiles__",
  sparkR: "sparkr",
  staging: ".sparkStaging",
} as const;
