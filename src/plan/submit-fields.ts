import * as app from "../conf/entries/app.ts";
import * as driver from "../conf/entries/driver.ts";
import * as executor from "../conf/entries/executor.ts";
import {
  firesteelFailFast,
  firesteelLogs,
  firesteelMounts,
  firesteelPythonEnv,
  firesteelSparkVersion,
  firesteelSubmissionToken,
} from "../conf/entries/firesteel.ts";
import * as hadoop from "../conf/entries/hadoop.ts";
import { stagingTransport } from "../conf/entries/localizing.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { ClusterManager, DeployMode } from "./cluster-manager.ts";

/** Value that a submission takes from an option, and usually also from a setting or an environment variable. */
interface SubmitField {
  /** Equivalent setting. */
  readonly entry?: ConfEntry<unknown>;
  /** Environment variable that is read when neither option nor setting is specified. */
  readonly variable?: string;
  /** Whether the value is a comma-separated list of paths. */
  readonly isPathList?: true;
  /** Cluster managers for which the field becomes its setting; others silently ignore it. @default all */
  readonly managers?: readonly ClusterManager[];
  /** Setting to whose list YARN adds the value. */
  readonly distributed?: ConfEntry<unknown>;
  /** @default both */
  readonly modes?: readonly DeployMode[];
}

const big: readonly ClusterManager[] = ["standalone", "yarn", "kubernetes"];
const resolvedByDriver: readonly ClusterManager[] = ["standalone", "kubernetes", "mesos"];

/**
 * Fields by the name that `--verbose` prints.
 *
 * Source: Spark SparkSubmitArguments.loadEnvironmentArguments and the option assigners of SparkSubmit.
 */
const submitFields = {
  master: { entry: app.master, variable: "MASTER" },
  remote: { entry: app.remote, variable: "SPARK_REMOTE" },
  deployMode: { entry: app.submitDeployMode, variable: "DEPLOY_MODE" },
  mainClass: {},
  name: { entry: app.appName },
  proxyUser: {},
  jars: { entry: app.jars, isPathList: true, managers: resolvedByDriver, distributed: app.yarnDistJars },
  files: {
    entry: app.files,
    isPathList: true,
    managers: ["local", ...resolvedByDriver],
    distributed: app.yarnDistFiles,
  },
  archives: {
    entry: app.archives,
    isPathList: true,
    managers: ["local", ...resolvedByDriver],
    distributed: app.yarnDistArchives,
  },
  pyFiles: {
    entry: app.submitPyFiles,
    isPathList: true,
    modes: ["cluster"],
    distributed: app.yarnDistPyFiles,
  },
  packages: { entry: app.jarsPackages, managers: resolvedByDriver, modes: ["cluster"] },
  packagesExclusions: { entry: app.jarsExcludes, managers: resolvedByDriver, modes: ["cluster"] },
  repositories: { entry: app.jarsRepositories, managers: resolvedByDriver, modes: ["cluster"] },
  ivyRepoPath: { entry: app.jarsIvy },
  driverMemory: { entry: driver.driverMemory, variable: "SPARK_DRIVER_MEMORY" },
  driverCores: { entry: driver.driverCores, managers: [...big, "mesos"], modes: ["cluster"] },
  driverExtraClassPath: { entry: driver.driverExtraClassPath },
  driverDefaultClassPath: { entry: driver.driverDefaultExtraClassPath },
  driverExtraLibraryPath: { entry: driver.driverExtraLibraryPath },
  driverExtraJavaOptions: { entry: driver.driverExtraJavaOptions },
  executorMemory: {
    entry: executor.executorMemory,
    variable: "SPARK_EXECUTOR_MEMORY",
    managers: [...big, "mesos"],
  },
  executorCores: { entry: executor.executorCores, variable: "SPARK_EXECUTOR_CORES", managers: big },
  numExecutors: { entry: executor.executorInstances, managers: ["yarn", "kubernetes"] },
  totalExecutorCores: { entry: app.coresMax, managers: ["standalone", "mesos"] },
  principal: { entry: hadoop.kerberosPrincipal },
  keytab: { entry: hadoop.kerberosKeytab },
  queue: { entry: app.yarnQueue, managers: ["yarn"] },
  logs: { entry: firesteelLogs },
  failFast: { entry: firesteelFailFast },
  submissionToken: { entry: firesteelSubmissionToken },
  sparkVersion: { entry: firesteelSparkVersion },
  staging: { entry: stagingTransport },
  profile: {},
  pythonEnv: { entry: firesteelPythonEnv },
  mounts: { entry: firesteelMounts },
} as const satisfies Record<string, SubmitField>;

/** Name of a field. */
export type FieldName = keyof typeof submitFields;

/** Returns the row of a field. */
export function submitField(name: FieldName): SubmitField {
  return submitFields[name];
}

/** Lists the names of all fields, in the order of the table. */
export function fieldNames(): readonly FieldName[] {
  const isName = (text: string): text is FieldName => text in submitFields;
  names ??= Object.keys(submitFields).filter(isName);
  return names;
}

/** Result of `fieldNames`, from its first call on. */
let names: readonly FieldName[] | undefined;
