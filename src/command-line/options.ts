import { type SparkLine, sparkLines } from "../conf/spark-version.ts";
import { specialClasses } from "../plan/special-classes.ts";
import type { FieldName } from "../plan/submit-fields.ts";

/** Effect of an option with a value. */
export type ValueMeaning =
  | {
      readonly kind: "field";
      readonly field: FieldName;
      /** Whether the option is a short form of the setting: the later one of `--conf` and the option counts. */
      readonly isSetting?: true;
    }
  | { readonly kind: "setting" | "propertiesFile" | "extraPropertiesFile" }
  | { readonly kind: "action"; readonly action: "kill" | "status" };

/** Effect of an option without a value. */
export type SwitchMeaning =
  | "help"
  | "usageError"
  | "version"
  | "verbose"
  | "supervise"
  | "loadDefaults"
  | "json"
  | "failFast";

interface Row {
  readonly flag: `--${string}`;
  readonly alias?: `-${string}`;
  readonly group: UsageGroup;
  /** Description for the usage text and docs/command-line.md: a noun phrase. */
  readonly help: string;
  /** First Spark line that has the option. */
  readonly since?: SparkLine;
  /** Whether the usage text omits the option. */
  readonly hidden?: true;
}

/** An option that takes a value, e.g. `--name NAME`. */
export interface ValueOption extends Row {
  /** Placeholder for the value in the usage text, e.g. `MEM`. */
  readonly value: string;
  readonly meaning: ValueMeaning;
}

/** An option without a value, e.g. `--verbose`; a value is ignored. */
export interface SwitchOption extends Row {
  readonly switches: SwitchMeaning;
}

/** An option of spark-submit. */
export type Option = ValueOption | SwitchOption;

/** Groups of the usage text, by the masters and modes to which their options apply. */
export type UsageGroup =
  | "general"
  | "connect"
  | "cluster"
  | "standaloneCluster"
  | "standaloneOrKubernetesCluster"
  | "standalone"
  | "standaloneYarnKubernetes"
  | "yarnKubernetes"
  | "yarn"
  | "firesteel";

const field = (name: FieldName) => ({ kind: "field", field: name }) as const;
const setting = (name: FieldName) => ({ kind: "field", field: name, isSetting: true }) as const;

/** All options in the order of the usage text. Source for parser, usage text and documentation. */
export const options: readonly Option[] = [
  {
    flag: "--master",
    value: "MASTER_URL",
    meaning: field("master"),
    group: "general",
    help: "Master URL: k8s://https://HOST:PORT for a Kubernetes API server, k8s://embedded for the embedded cluster, spark://HOST:PORT, yarn or local (default: local[*]).",
  },
  {
    flag: "--deploy-mode",
    value: "DEPLOY_MODE",
    meaning: field("deployMode"),
    group: "general",
    help: 'Location of the driver: "cluster", or "client" for this machine (default: client).',
  },
  {
    flag: "--class",
    value: "CLASS_NAME",
    meaning: field("mainClass"),
    group: "general",
    help: "Main class of a Java or Scala application (default: that of the jar's manifest).",
  },
  {
    flag: "--name",
    value: "NAME",
    meaning: field("name"),
    group: "general",
    help: "Name of the application.",
  },
  {
    flag: "--jars",
    value: "JARS",
    meaning: field("jars"),
    group: "general",
    help: "Jars for the class paths of driver and executors, separated by commas.",
  },
  {
    flag: "--packages",
    value: "PACKAGES",
    meaning: field("packages"),
    group: "general",
    help: "Maven coordinates groupId:artifactId:version of jars that the driver downloads, separated by commas.",
  },
  {
    flag: "--exclude-packages",
    value: "PACKAGES",
    meaning: field("packagesExclusions"),
    group: "general",
    help: "Dependencies of --packages to exclude: groupId:artifactId, separated by commas.",
  },
  {
    flag: "--repositories",
    value: "URLS",
    meaning: field("repositories"),
    group: "general",
    help: "Additional repositories for --packages, separated by commas.",
  },
  {
    flag: "--py-files",
    value: "PY_FILES",
    meaning: field("pyFiles"),
    group: "general",
    help: "Python modules for the PYTHONPATH: .py, .zip and .egg files, separated by commas.",
  },
  {
    flag: "--files",
    value: "FILES",
    meaning: field("files"),
    group: "general",
    help: "Files for the working directory of each executor, separated by commas.",
  },
  {
    flag: "--archives",
    value: "ARCHIVES",
    meaning: field("archives"),
    group: "general",
    help: "Archives to unpack in the working directory of each executor, separated by commas; #NAME sets the directory.",
  },
  {
    flag: "--conf",
    alias: "-c",
    value: "PROP=VALUE",
    meaning: { kind: "setting" },
    group: "general",
    help: "Spark setting; can be repeated.",
  },
  {
    flag: "--properties-file",
    value: "FILE",
    meaning: { kind: "propertiesFile" },
    group: "general",
    help: "Properties file, instead of conf/spark-defaults.conf.",
  },
  {
    flag: "--extra-properties-file",
    value: "FILE",
    meaning: { kind: "extraPropertiesFile" },
    group: "general",
    since: "4.2",
    help: "Additional properties file, which overrides --properties-file and earlier ones; can be repeated.",
  },
  {
    flag: "--load-spark-defaults",
    switches: "loadDefaults",
    group: "general",
    since: "4.0",
    help: "Settings of conf/spark-defaults.conf in addition to --properties-file.",
  },
  {
    flag: "--driver-memory",
    value: "MEM",
    meaning: setting("driverMemory"),
    group: "general",
    help: "Heap size of the driver, e.g. 512M or 2G (default: 1024M).",
  },
  {
    flag: "--driver-java-options",
    value: "OPTIONS",
    meaning: setting("driverExtraJavaOptions"),
    group: "general",
    help: "Options for the driver's JVM.",
  },
  {
    flag: "--driver-library-path",
    value: "PATHS",
    meaning: setting("driverExtraLibraryPath"),
    group: "general",
    help: "Library path of the driver's JVM.",
  },
  {
    flag: "--driver-class-path",
    value: "PATHS",
    meaning: setting("driverExtraClassPath"),
    group: "general",
    help: "Entries before the class path of the driver, which contains the jars of --jars anyway.",
  },
  {
    flag: "--driver-default-class-path",
    value: "PATHS",
    meaning: setting("driverDefaultClassPath"),
    group: "general",
    since: "4.0",
    hidden: true,
    help: "Entries before the class path of the driver, after those of --driver-class-path.",
  },
  {
    flag: "--executor-memory",
    value: "MEM",
    meaning: field("executorMemory"),
    group: "general",
    help: "Heap size of an executor, e.g. 512M or 2G (default: 1G).",
  },
  {
    flag: "--proxy-user",
    value: "NAME",
    meaning: field("proxyUser"),
    group: "general",
    help: "User to impersonate; not together with --principal.",
  },
  { flag: "--help", alias: "-h", switches: "help", group: "general", help: "This help text." },
  {
    flag: "--verbose",
    alias: "-v",
    switches: "verbose",
    group: "general",
    help: "Additional output: the parsed arguments and the submission.",
  },
  { flag: "--version", switches: "version", group: "general", help: "Version." },
  {
    flag: "--usage-error",
    switches: "usageError",
    group: "general",
    hidden: true,
    help: "This help text and a failure; for Spark's launcher.",
  },
  {
    flag: "--remote",
    value: "CONNECT_URL",
    meaning: field("remote"),
    group: "connect",
    help: "Spark Connect server, e.g. sc://HOST:PORT; not together with --master and --deploy-mode.",
  },
  {
    flag: "--driver-cores",
    value: "NUM",
    meaning: field("driverCores"),
    group: "cluster",
    help: "Number of cores of the driver (default: 1).",
  },
  {
    flag: "--supervise",
    switches: "supervise",
    group: "standaloneCluster",
    help: "Restart of the driver after a failure.",
  },
  {
    flag: "--kill",
    value: "SUBMISSION_ID",
    meaning: { kind: "action", action: "kill" },
    group: "standaloneOrKubernetesCluster",
    help: "ID of a submission whose driver to kill.",
  },
  {
    flag: "--status",
    value: "SUBMISSION_ID",
    meaning: { kind: "action", action: "status" },
    group: "standaloneOrKubernetesCluster",
    help: "ID of a submission whose driver status to print.",
  },
  {
    flag: "--total-executor-cores",
    value: "NUM",
    meaning: field("totalExecutorCores"),
    group: "standalone",
    help: "Total number of cores of all executors.",
  },
  {
    flag: "--executor-cores",
    value: "NUM",
    meaning: field("executorCores"),
    group: "standaloneYarnKubernetes",
    help: "Number of cores of an executor (default: 1 on YARN and Kubernetes, all cores of a worker on standalone).",
  },
  {
    flag: "--num-executors",
    value: "NUM",
    meaning: field("numExecutors"),
    group: "yarnKubernetes",
    help: "Number of executors (default: 2); with dynamic allocation, the initial number is at least this.",
  },
  {
    flag: "--principal",
    value: "PRINCIPAL",
    meaning: field("principal"),
    group: "yarnKubernetes",
    help: "Kerberos principal for the login.",
  },
  {
    flag: "--keytab",
    value: "KEYTAB",
    meaning: field("keytab"),
    group: "yarnKubernetes",
    help: "Path of the keytab of --principal.",
  },
  {
    flag: "--queue",
    value: "QUEUE_NAME",
    meaning: field("queue"),
    group: "yarn",
    help: 'YARN queue (default: "default").',
  },
  {
    flag: "--logs",
    value: "MODE",
    meaning: setting("logs"),
    group: "firesteel",
    help: "Logs to print while waiting: none, driver, or all with the executors (default: none).",
  },
  {
    flag: "--fail-fast",
    switches: "failFast",
    group: "firesteel",
    help: "Immediate failure, and deletion of the driver, if it cannot start without a change.",
  },
  {
    flag: "--spark-version",
    value: "VERSION",
    meaning: setting("sparkVersion"),
    group: "firesteel",
    help: "Spark version to emulate, e.g. 4.3.0 or 3.5 (default: that of the image's tag, of SPARK_HOME, or the newest known).",
  },
  {
    flag: "--submission-token",
    value: "TOKEN",
    meaning: setting("submissionToken"),
    group: "firesteel",
    help: "Token of this submission. With a token that was used before, the command waits for the existing driver instead.",
  },
  {
    flag: "--staging",
    value: "MODE",
    meaning: setting("staging"),
    group: "firesteel",
    help: "Transport of files of this machine to the driver: auto, none, secret, server, s3 or push (default: auto).",
  },
  {
    flag: "--json",
    switches: "json",
    group: "firesteel",
    help: "JSON output of --status on the standard output.",
  },
];

/** Returns the options of a Spark line. */
export function optionsOf(line: SparkLine): readonly Option[] {
  const age = sparkLines.indexOf(line);
  return options.filter(({ since }) => since === undefined || sparkLines.indexOf(since) <= age);
}

/** Returns whether a command line uses an option or a shell that some Spark line lacks. Only then does its parsing depend on the line. */
export function dependsOnLine(argv: readonly string[]): boolean {
  const newer = options.filter(({ since }) => since !== undefined);
  return argv.some(
    (arg) =>
      arg.endsWith(specialClasses.connectShell) ||
      newer.some(({ flag }) => arg === flag || arg.startsWith(`${flag}=`)),
  );
}
