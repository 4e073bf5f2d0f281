import { uiProxyBaseKey } from "./spark-ui.ts";

/** Keys of the settings that Livy's fields, rules and tags are about. */

/** Settings with files, by the field of a batch whose entries come first. */
export const livyFileLists = [
  { key: "spark.jars", field: "jars" },
  { key: "spark.files", field: "files" },
  { key: "spark.archives", field: "archives" },
  { key: "spark.submit.pyFiles", field: "pyFiles" },
] as const;

/** Further settings with files of which Livy checks the paths. */
export const otherLivyFileLists: readonly string[] = [
  "spark.yarn.archive",
  "spark.yarn.dist.archives",
  "spark.yarn.dist.files",
  "spark.yarn.dist.jars",
  "spark.yarn.jar",
  "spark.yarn.jars",
];

/** Settings that Livy rejects, by default or with the list of its distribution. */
export const livyRejectedKeys: readonly string[] = [
  "spark.master",
  "spark.submit.deployMode",
  "spark.submit.proxyUser.allowCustomClasspathInClusterMode",
  "spark.yarn.jar",
  "spark.yarn.jars",
  "spark.yarn.archive",
  "livy.rsc.server.idle-timeout",
];

/** Settings of a batch's resources, by field. */
export const livyResourceKeys = {
  driverMemory: "spark.driver.memory",
  driverCores: "spark.driver.cores",
  executorMemory: "spark.executor.memory",
  executorCores: "spark.executor.cores",
  numExecutors: "spark.executor.instances",
} as const;

/** Setting of the default file system of paths without a scheme. */
export const defaultFileSystemKey = "spark.hadoop.fs.defaultFS";

/**
 * Returns the settings that Livy forces, by which dashboards and Livy itself select pods.
 *
 * @param uiRoot path that the links of Spark UIs start with, without a slash at its end; `undefined` if a request decides
 */
export function livyTagSettings(tag: string, uiRoot: string | undefined): Readonly<Record<string, string>> {
  return {
    "spark.kubernetes.driver.label.spark-app-tag": tag,
    "spark.kubernetes.executor.label.spark-app-tag": tag,
    ...(uiRoot !== undefined && { [uiProxyBaseKey]: `${uiRoot}/${tag}` }),
  };
}
