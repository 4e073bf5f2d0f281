import { dependencyUris } from "../dependency-uris-kind.ts";
import { entry, optionalEntry, type PrefixEntry } from "../entry.ts";
import { boolean, expression, list, lowered, oneOf, text } from "../kinds.ts";

/** Master URL. */
export const master = optionalEntry(text, {
  key: "spark.master",
  doc: "The cluster manager to connect to, e.g. `k8s://https://host:6443`.",
  since: "0.6.0",
  raw: true,
});

export const submitDeployMode = entry(text, {
  key: "spark.submit.deployMode",
  doc: "Whether the driver runs here (`client`) or in the cluster (`cluster`).",
  since: "1.5.0",
  default: "client",
  raw: true,
});

export const appName = entry(text, {
  key: "spark.app.name",
  doc: "The name of the application: part of the names of its Kubernetes objects and of their labels.",
  since: "0.9.0",
  default: "spark",
  raw: true,
});

export const appId = optionalEntry(text, {
  key: "spark.app.id",
  doc: "The id of the application; written by the submission.",
  since: "1.4.0",
  raw: true,
});

export const appSubmitTime = optionalEntry(text, {
  key: "spark.app.submitTime",
  doc: "Time of the submission, in ms since 1970. The submission sets it unless it is specified.",
  since: "3.2.0",
  raw: true,
});

export const jars = entry(dependencyUris, {
  key: "spark.jars",
  doc: "Jars on the class paths of driver and executors.",
  since: "0.9.0",
  default: "",
});

export const files = entry(dependencyUris, {
  key: "spark.files",
  doc: "Files in the working directory of each executor.",
  since: "1.0.0",
  default: "",
});

export const archives = entry(dependencyUris, {
  key: "spark.archives",
  doc: "Archives to unpack in the working directory of each executor; `#name` sets the directory.",
  since: "3.1.0",
  default: "",
});

export const submitPyFiles = entry(dependencyUris, {
  key: "spark.submit.pyFiles",
  doc: "Python files, zips and eggs on the PYTHONPATH.",
  since: "1.0.1",
  default: "",
});

export const jarsPackages = entry(list, {
  key: "spark.jars.packages",
  doc: "Maven coordinates of jars, resolved by the driver.",
  since: "1.5.0",
  default: "",
});

export const jarsAvoidDownloadSchemes = entry(list, {
  key: "spark.kubernetes.jars.avoidDownloadSchemes",
  doc: "Schemes of jars that the driver does not copy, so that executors fetch them directly; `*` matches all.",
  since: "4.0.0",
  default: "",
});

export const jarsExcludes = entry(list, {
  key: "spark.jars.excludes",
  doc: "`groupId:artifactId` of dependencies to exclude from the packages.",
  since: "1.5.0",
  default: "",
});

export const jarsRepositories = entry(list, {
  key: "spark.jars.repositories",
  doc: "Further repositories for the packages.",
  since: "2.3.0",
  default: "",
});

export const jarsIvy = optionalEntry(text, {
  key: "spark.jars.ivy",
  doc: "The directory of Ivy's cache.",
  since: "1.3.0",
});

export const jarsIvySettings = optionalEntry(text, {
  key: "spark.jars.ivySettings",
  doc: "A file with settings for Ivy.",
  since: "2.2.0",
});

export const pysparkPython = optionalEntry(text, {
  key: "spark.pyspark.python",
  doc: "The Python of driver and executors.",
  since: "2.1.0",
});

export const pysparkDriverPython = optionalEntry(text, {
  key: "spark.pyspark.driver.python",
  doc: "The Python of the driver.",
  since: "2.1.0",
});

export const plugins = optionalEntry(text, {
  key: "spark.plugins",
  doc: "Classes that run beside driver and executors, separated by commas.",
  since: "3.0.0",
});

export const rShellCommand = entry(text, {
  key: "spark.r.shell.command",
  doc: "Command that `sparkR` starts.",
  since: "2.1.0",
  default: "R",
});

export const remote = optionalEntry(text, {
  key: "spark.remote",
  doc: "The Spark Connect server to use instead of a master.",
  since: "3.4.0",
  raw: true,
});

export const apiMode = entry(lowered(oneOf(["connect", "classic"])), {
  key: "spark.api.mode",
  doc: "Whether applications run on Spark Classic or on Spark Connect.",
  since: "4.0.0",
  default: "classic",
});

export const coresMax = optionalEntry(text, {
  key: "spark.cores.max",
  doc: "Cores of all executors together; standalone clusters only.",
  since: "0.6.0",
  raw: true,
});

export const yarnQueue = entry(text, {
  key: "spark.yarn.queue",
  doc: "The YARN queue.",
  since: "1.0.0",
  default: "default",
});

/** Local names in this list and the following ones become URIs, for any master. */
export const yarnDistFiles = entry(list, {
  key: "spark.yarn.dist.files",
  doc: "Files that YARN distributes; `--files` joins them.",
  since: "1.0.0",
  default: "",
});

export const yarnDistArchives = entry(list, {
  key: "spark.yarn.dist.archives",
  doc: "Archives that YARN distributes; `--archives` joins them.",
  since: "1.0.0",
  default: "",
});

export const yarnDistJars = entry(list, {
  key: "spark.yarn.dist.jars",
  doc: "Jars that YARN distributes; `--jars` joins them.",
  since: "2.0.0",
  default: "",
});

export const yarnDistPyFiles = entry(list, {
  key: "spark.yarn.dist.pyFiles",
  doc: "Python files, zips and eggs that YARN distributes; `--py-files` joins them.",
  since: "2.2.1",
  default: "",
});

/** Lines before 4.3 do not match `credential`. Firesteel uses the newest default, which hides more. */
export const redactionRegex = entry(expression, {
  key: "spark.redaction.regex",
  doc: "Settings whose key or value this expression finds are shown as `*********(redacted)`.",
  since: "2.1.2",
  default: "(?i)secret|password|token|access[.]?key|credential",
  raw: true,
});

export const home = optionalEntry(text, {
  key: "spark.home",
  doc: "The Spark distribution whose `conf` is taken when SPARK_CONF_DIR is not set.",
  since: "0.6.0",
  raw: true,
});

export const localDir = optionalEntry(text, {
  key: "spark.local.dir",
  doc: "Directories for scratch space, when the variable SPARK_LOCAL_DIRS is not set.",
  since: "0.5.0",
  raw: true,
});

export const masterRestEnabled = entry(boolean, {
  key: "spark.master.rest.enabled",
  doc: "Submit to a standalone master through its REST gateway.",
  since: "1.3.0",
  default: "false",
});

/** Prefix of all Spark settings. */
export const settings: PrefixEntry = {
  prefix: "spark.",
  doc: "Every setting; keys without this beginning are dropped with a warning.",
  since: "0.6.0",
};
