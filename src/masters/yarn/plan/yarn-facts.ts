import type { HadoopConf } from "../../../values/hadoop-conf.ts";

/** Environment facts that the plan of a submission to YARN needs. */
export interface YarnFacts {
  /** Submitting user: HADOOP_USER_NAME, else the operating system's user; with Kerberos, always the latter. */
  readonly userName: string;
  /** User that the application runs as: `--proxy-user`, else the user of Kerberos, else `userName`. */
  readonly runsAs: string;
  /** Keytab for the driver, with its name in containers; `undefined` without one on this machine. */
  readonly keytab: { readonly uri: string; readonly link: string } | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hadoop: HadoopConf;
  /** Files of `spark.yarn.jars` with expanded patterns; `undefined` if it is not set. */
  readonly sparkJars: readonly string[] | undefined;
  /** URIs of the PySpark zips, for Python applications. */
  readonly pythonArchives: readonly string[];
  /** URI of the SparkR zip, for R applications. */
  readonly sparkR: string | undefined;
  /** Logging and metrics configuration from Spark's configuration directory. */
  readonly confFiles: readonly NamedFile[];
  /** XML files of SPARK_CONF_DIR, and all files of HADOOP_CONF_DIR and YARN_CONF_DIR. */
  readonly hadoopFiles: readonly NamedFile[];
}

export interface NamedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** File names that Spark's driver on YARN expects in a container's working directory. */
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
