import { type SparkLine, sparkLines } from "../conf/spark-version.ts";
import { specialClasses } from "../plan/special-classes.ts";
import type { FieldName } from "../plan/submit-fields.ts";

/** What an option with a value does. */
export type ValueMeaning =
  | {
      readonly kind: "field";
      readonly field: FieldName;
      /** The option is only another way to write the setting: of `--conf` and option the later one on the line counts. */
      readonly isSetting?: true;
    }
  | { readonly kind: "setting" | "propertiesFile" | "extraPropertiesFile" }
  | { readonly kind: "action"; readonly action: "kill" | "status" };

/** What an option without a value does. */
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
  /** For the usage text and docs/command-line.md. */
  readonly help: string;
  /** The first line of Spark that has it. */
  readonly since?: SparkLine;
  /** It works, but the usage text does not tell. */
  readonly hidden?: true;
}

/** An option that takes a value, e.g. `--name NAME`. */
export interface ValueOption extends Row {
  /** Stands for the value in the usage text, e.g. `MEM`. */
  readonly value: string;
  readonly meaning: ValueMeaning;
}

/** An option that is only there or not, e.g. `--verbose`; a value is ignored. */
export interface SwitchOption extends Row {
  readonly switches: SwitchMeaning;
}

/** One row of the table. */
export type Option = ValueOption | SwitchOption;

/** The parts of the usage text, by the masters and modes in which their options count. */
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

/** Every option, in the order of the usage text: what parsing, usage, documentation and completion are made from. */
export const options: readonly Option[] = [
  {
    flag: "--master",
    value: "MASTER_URL",
    meaning: field("master"),
    group: "general",
    help: "Where to run: k8s://https://host:port for a Kubernetes API server, k8s://embedded for the cluster in this package; Spark also knows spark://host:port, yarn and local (default: local[*]).",
  },
  {
    flag: "--deploy-mode",
    value: "DEPLOY_MODE",
    meaning: field("deployMode"),
    group: "general",
    help: 'Where the driver runs: in the cluster ("cluster") or on this machine ("client") (default: client).',
  },
  {
    flag: "--class",
    value: "CLASS_NAME",
    meaning: field("mainClass"),
    group: "general",
    help: "Main class of a Java or Scala application; read from the jar's manifest unless given.",
  },
  {
    flag: "--name",
    value: "NAME",
    meaning: field("name"),
    group: "general",
    help: "What the application is called.",
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
    help: "Jars by their Maven coordinates groupId:artifactId:version, separated by commas; the driver fetches them.",
  },
  {
    flag: "--exclude-packages",
    value: "PACKAGES",
    meaning: field("packagesExclusions"),
    group: "general",
    help: "What --packages must not bring along: groupId:artifactId, separated by commas.",
  },
  {
    flag: "--repositories",
    value: "URLS",
    meaning: field("repositories"),
    group: "general",
    help: "More repositories to look for --packages in, separated by commas.",
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
    help: "Archives to unpack in the working directory of each executor, separated by commas; #name names the folder.",
  },
  {
    flag: "--conf",
    alias: "-c",
    value: "PROP=VALUE",
    meaning: { kind: "setting" },
    group: "general",
    help: "One Spark setting; may be repeated.",
  },
  {
    flag: "--properties-file",
    value: "FILE",
    meaning: { kind: "propertiesFile" },
    group: "general",
    help: "A file with settings; it takes the place of conf/spark-defaults.conf.",
  },
  {
    flag: "--extra-properties-file",
    value: "FILE",
    meaning: { kind: "extraPropertiesFile" },
    group: "general",
    since: "4.2",
    help: "One more file with settings, which wins over --properties-file and over earlier ones; may be repeated.",
  },
  {
    flag: "--load-spark-defaults",
    switches: "loadDefaults",
    group: "general",
    since: "4.0",
    help: "Read conf/spark-defaults.conf also when there is a --properties-file.",
  },
  {
    flag: "--driver-memory",
    value: "MEM",
    meaning: setting("driverMemory"),
    group: "general",
    help: "Heap of the driver, e.g. 512M or 2G (default: 1024M).",
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
    help: "Goes before the class path of the driver; jars of --jars are there without it.",
  },
  {
    flag: "--driver-default-class-path",
    value: "PATHS",
    meaning: setting("driverDefaultClassPath"),
    group: "general",
    since: "4.0",
    hidden: true,
    help: "Goes before the class path of the driver, after --driver-class-path.",
  },
  {
    flag: "--executor-memory",
    value: "MEM",
    meaning: field("executorMemory"),
    group: "general",
    help: "Heap of an executor, e.g. 512M or 2G (default: 1G).",
  },
  {
    flag: "--proxy-user",
    value: "NAME",
    meaning: field("proxyUser"),
    group: "general",
    help: "The user whom the application acts for; not together with --principal.",
  },
  { flag: "--help", alias: "-h", switches: "help", group: "general", help: "Show this text." },
  {
    flag: "--verbose",
    alias: "-v",
    switches: "verbose",
    group: "general",
    help: "Show what was understood and what is submitted.",
  },
  { flag: "--version", switches: "version", group: "general", help: "Show the version." },
  {
    flag: "--usage-error",
    switches: "usageError",
    group: "general",
    hidden: true,
    help: "Show this text and fail; Spark's launcher uses it.",
  },
  {
    flag: "--remote",
    value: "CONNECT_URL",
    meaning: field("remote"),
    group: "connect",
    help: "A Spark Connect server, e.g. sc://host:port; not together with --master and --deploy-mode.",
  },
  {
    flag: "--driver-cores",
    value: "NUM",
    meaning: field("driverCores"),
    group: "cluster",
    help: "Cores of the driver (default: 1).",
  },
  {
    flag: "--supervise",
    switches: "supervise",
    group: "standaloneCluster",
    help: "Restart the driver when it fails.",
  },
  {
    flag: "--kill",
    value: "SUBMISSION_ID",
    meaning: { kind: "action", action: "kill" },
    group: "standaloneOrKubernetesCluster",
    help: "End the driver of this submission.",
  },
  {
    flag: "--status",
    value: "SUBMISSION_ID",
    meaning: { kind: "action", action: "status" },
    group: "standaloneOrKubernetesCluster",
    help: "Show how the driver of this submission is.",
  },
  {
    flag: "--total-executor-cores",
    value: "NUM",
    meaning: field("totalExecutorCores"),
    group: "standalone",
    help: "Cores of all executors together.",
  },
  {
    flag: "--executor-cores",
    value: "NUM",
    meaning: field("executorCores"),
    group: "standaloneYarnKubernetes",
    help: "Cores of an executor (default: 1 on YARN and Kubernetes, all of a worker on standalone).",
  },
  {
    flag: "--num-executors",
    value: "NUM",
    meaning: field("numExecutors"),
    group: "yarnKubernetes",
    help: "Number of executors (default: 2); the least number to begin with under dynamic allocation.",
  },
  {
    flag: "--principal",
    value: "PRINCIPAL",
    meaning: field("principal"),
    group: "yarnKubernetes",
    help: "Kerberos principal to log in as.",
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
    help: 'The YARN queue (default: "default").',
  },
  {
    flag: "--logs",
    value: "WHOSE",
    meaning: setting("logs"),
    group: "firesteel",
    help: "Whose log is shown while waiting: none, driver, or all with the executors (default: none).",
  },
  {
    flag: "--fail-fast",
    switches: "failFast",
    group: "firesteel",
    help: "End at once, and delete the driver, when it will not start until somebody changes something.",
  },
  {
    flag: "--spark-version",
    value: "VERSION",
    meaning: setting("sparkVersion"),
    group: "firesteel",
    help: "The Spark to speak for, e.g. 4.3.0 or 3.5 (default: that of the image's tag, of SPARK_HOME, or the newest known).",
  },
  {
    flag: "--submission-token",
    value: "TOKEN",
    meaning: setting("submissionToken"),
    group: "firesteel",
    help: "Submit only once: a submission with a token that was used before waits for the driver of the first one, and ends as it does.",
  },
  {
    flag: "--staging",
    value: "HOW",
    meaning: setting("staging"),
    group: "firesteel",
    help: "How files of this machine reach the driver: auto, none, secret, server, s3, or push (default: auto).",
  },
  {
    flag: "--json",
    switches: "json",
    group: "firesteel",
    help: "With --status: show it as JSON on the standard output.",
  },
];

/** The options that a line of Spark has. */
export function optionsOf(line: SparkLine): readonly Option[] {
  const age = sparkLines.indexOf(line);
  return options.filter(({ since }) => since === undefined || sparkLines.indexOf(since) <= age);
}

/** Whether a command line names an option or a shell that some line of Spark lacks: only then the line decides how it is read. */
export function dependsOnLine(argv: readonly string[]): boolean {
  const newer = options.filter(({ since }) => since !== undefined);
  return argv.some(
    (word) =>
      word.endsWith(specialClasses.connectShell) ||
      newer.some(({ flag }) => word === flag || word.startsWith(`${flag}=`)),
  );
}
