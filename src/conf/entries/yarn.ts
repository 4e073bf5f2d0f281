import { entry, optionalEntry, type PrefixEntry } from "../entry.ts";
import { boolean, duration, integer, list, text } from "../kinds.ts";

export const yarnStagingDir = optionalEntry(text, {
  key: "spark.yarn.stagingDir",
  doc: "The directory in HDFS for the files of a submission to YARN while it runs. The default is the home directory of the user.",
  since: "2.0.0",
});

export const yarnArchive = optionalEntry(text, {
  key: "spark.yarn.archive",
  doc: "An archive with Spark's jars for every container of an application on YARN, e.g. `hdfs:///spark/4.3.0.zip`.",
  since: "2.0.0",
});

export const yarnJars = optionalEntry(list, {
  key: "spark.yarn.jars",
  doc: "Spark's jars for containers on YARN if there is no archive: `hdfs:///spark/jars/*`, or `local:/opt/spark/jars/*` if every node has them.",
  since: "2.0.0",
});

export const yarnForceDownloadSchemes = entry(list, {
  key: "spark.yarn.dist.forceDownloadSchemes",
  doc: "Schemes of URIs whose files are fetched here and uploaded, instead of being read by the cluster; `*` is all.",
  since: "2.3.0",
  default: "",
});

export const yarnTags = entry(list, {
  key: "spark.yarn.tags",
  doc: "Tags of the application on YARN.",
  since: "1.5.0",
  default: "",
});

export const yarnPriority = optionalEntry(integer, {
  key: "spark.yarn.priority",
  doc: "The priority of the application among those that wait in its queue on YARN; the higher goes first.",
  since: "3.0.0",
});

export const yarnMaxAppAttempts = optionalEntry(integer, {
  key: "spark.yarn.maxAppAttempts",
  doc: "Number of times that YARN starts the driver before the application has failed. Otherwise the cluster decides.",
  since: "1.3.0",
});

export const yarnAttemptFailuresValidityInterval = optionalEntry(duration("ms"), {
  key: "spark.yarn.am.attemptFailuresValidityInterval",
  doc: "After this time a failed attempt on YARN counts no more.",
  since: "1.6.0",
});

export const yarnAmNodeLabelExpression = optionalEntry(text, {
  key: "spark.yarn.am.nodeLabelExpression",
  doc: "Labels of the nodes on which YARN may run the driver.",
  since: "1.6.0",
});

export const yarnApplicationType = entry(text, {
  key: "spark.yarn.applicationType",
  doc: "Type of the application that YARN shows.",
  since: "3.1.0",
  default: "SPARK",
});

export const yarnWaitAppCompletion = entry(boolean, {
  key: "spark.yarn.submit.waitAppCompletion",
  doc: "Whether a submission to YARN waits until the application is over.",
  since: "1.4.0",
  default: "true",
});

export const yarnReportInterval = entry(duration("ms"), {
  key: "spark.yarn.report.interval",
  doc: "Interval of status requests to YARN.",
  since: "0.9.0",
  default: "1s",
});

export const yarnReportLoggingFrequency = entry(integer, {
  key: "spark.yarn.report.loggingFrequency",
  doc: "Number of unchanged responses of YARN after which a status line is printed.",
  since: "3.5.0",
  default: "30",
});

export const yarnPreserveStagingFiles = entry(boolean, {
  key: "spark.yarn.preserve.staging.files",
  doc: "Whether to keep files of a submission to YARN in HDFS when the application has ended.",
  since: "1.1.0",
  default: "false",
});

export const yarnFileReplication = optionalEntry(integer, {
  key: "spark.yarn.submit.file.replication",
  doc: "Number of copies that HDFS keeps of files of a submission to YARN. Otherwise HDFS decides.",
  since: "0.8.1",
});

export const yarnPopulateHadoopClasspath = entry(boolean, {
  key: "spark.yarn.populateHadoopClasspath",
  doc: "Whether Hadoop's own class path joins that of the containers; for a Spark without Hadoop.",
  since: "2.4.6",
  default: "false",
});

export const yarnGatewayPath = optionalEntry(text, {
  key: "spark.yarn.config.gatewayPath",
  doc: "A path on the submitter's machine that is different on the nodes of YARN; see `spark.yarn.config.replacementPath`.",
  since: "1.5.0",
});

export const yarnReplacementPath = optionalEntry(text, {
  key: "spark.yarn.config.replacementPath",
  doc: "Path for `spark.yarn.config.gatewayPath` on the nodes of YARN.",
  since: "1.5.0",
});

export const yarnRolledLogInclude = optionalEntry(text, {
  key: "spark.yarn.rolledLog.includePattern",
  doc: "Log files that YARN gathers while the application runs.",
  since: "2.0.0",
});

export const yarnRolledLogExclude = optionalEntry(text, {
  key: "spark.yarn.rolledLog.excludePattern",
  doc: "Log files that YARN does not gather while the application runs.",
  since: "2.0.0",
});

export const yarnIncludeDriverLogsLink = entry(boolean, {
  key: "spark.yarn.includeDriverLogsLink",
  doc: "Whether reports of an application on YARN name the driver's logs.",
  since: "3.1.0",
  default: "false",
});

export const yarnIsPython = entry(boolean, {
  key: "spark.yarn.isPython",
  doc: "Whether the application on YARN is in Python; written by the submission.",
  since: "1.5.0",
  default: "false",
});

export const yarnUserJar = optionalEntry(text, {
  key: "spark.yarn.user.jar",
  doc: "The application's jar, if it is on every node; written by the submission.",
  since: "1.1.0",
});

export const yarnSecondaryJars = optionalEntry(list, {
  key: "spark.yarn.secondary.jars",
  doc: "Names of further jars in the containers of YARN; written by the submission.",
  since: "0.9.2",
});

/** Files that YARN distributes to executors, for the driver: parallel lists. */
export const yarnCache = {
  filenames: cacheEntry("filenames", "URIs, each with its name in a container"),
  sizes: cacheEntry("sizes", "sizes in bytes"),
  timestamps: cacheEntry("timestamps", "times of change, in ms since 1970"),
  visibilities: cacheEntry("visibilities", "who may use the copies on nodes"),
  types: cacheEntry("types", "whether they are unpacked"),
  confArchive: cacheEntry("confArchive", "the archive of all configuration"),
};

function cacheEntry(name: string, what: string) {
  return optionalEntry(list, {
    key: `spark.yarn.cache.${name}`,
    doc: `Files that YARN distributes: ${what}; written by the submission.`,
    since: "2.0.0",
  });
}

export const yarnAmTokenConfRegex = optionalEntry(text, {
  key: "spark.yarn.am.tokenConfRegex",
  doc: "Properties of Hadoop with which YARN renews tokens; only through a JVM.",
  since: "3.3.0",
});

export const yarnAmEnv: PrefixEntry = {
  prefix: "spark.yarn.appMasterEnv.",
  doc: "Environment variables of the driver on YARN.",
  since: "1.1.0",
};

export const yarnDriverResources: PrefixEntry = {
  prefix: "spark.yarn.driver.resource.",
  doc: "Further resources of the driver on YARN, such as GPUs; only through a JVM.",
  since: "3.0.0",
};

/** Users that may see and change an application. */
export const acls = {
  enable: entry(boolean, {
    key: "spark.acls.enable",
    doc: "Whether only some users may see or change the application.",
    since: "1.1.0",
    default: "false",
  }),
  view: aclEntry("spark.ui.view.acls", "Users that may see the application."),
  viewGroups: aclEntry("spark.ui.view.acls.groups", "Groups of users that may see the application."),
  modify: aclEntry("spark.modify.acls", "Users that may change the application."),
  modifyGroups: aclEntry("spark.modify.acls.groups", "Groups of users that may change the application."),
  admin: aclEntry("spark.admin.acls", "Users that may see and change every application."),
  adminGroups: aclEntry("spark.admin.acls.groups", "Groups of users that may see and change every application."),
};

function aclEntry(key: string, doc: string) {
  return entry(list, { key, doc, since: "1.1.0", default: "" });
}
