import { firstReleaseNamespace } from "../conf/entries/first-release-namespace.ts";
import { type SparkLine, sparkLines } from "../conf/spark-version.ts";
import { specialClasses } from "../plan/special-classes.ts";
import type { FieldName } from "../plan/submit-fields.ts";

/** Effect of an option with a value. */
type ValueMeaning =
  | {
      readonly kind: "field";
      readonly field: FieldName;
      /** Whether the option is a short form of the setting: the later one of `--conf` and the option counts. */
      readonly isSetting?: true;
    }
  | {
      /** Sets a key of the first releases, which is replaced when settings are read. */
      readonly kind: "firstReleaseKey";
      readonly key: string;
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
  | "failFast"
  | "check";

interface Row {
  readonly flag: `--${string}`;
  readonly alias?: `-${string}`;
  readonly group: UsageGroup;
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
  },
  {
    flag: "--deploy-mode",
    value: "DEPLOY_MODE",
    meaning: field("deployMode"),
    group: "general",
  },
  {
    flag: "--class",
    value: "CLASS_NAME",
    meaning: field("mainClass"),
    group: "general",
  },
  {
    flag: "--name",
    value: "NAME",
    meaning: field("name"),
    group: "general",
  },
  {
    flag: "--jars",
    value: "JARS",
    meaning: field("jars"),
    group: "general",
  },
  {
    flag: "--packages",
    value: "PACKAGES",
    meaning: field("packages"),
    group: "general",
  },
  {
    flag: "--exclude-packages",
    value: "PACKAGES",
    meaning: field("packagesExclusions"),
    group: "general",
  },
  {
    flag: "--repositories",
    value: "URLS",
    meaning: field("repositories"),
    group: "general",
  },
  {
    flag: "--py-files",
    value: "PY_FILES",
    meaning: field("pyFiles"),
    group: "general",
  },
  {
    flag: "--files",
    value: "FILES",
    meaning: field("files"),
    group: "general",
  },
  {
    flag: "--archives",
    value: "ARCHIVES",
    meaning: field("archives"),
    group: "general",
  },
  {
    flag: "--conf",
    alias: "-c",
    value: "PROP=VALUE",
    meaning: { kind: "setting" },
    group: "general",
  },
  {
    flag: "--properties-file",
    value: "FILE",
    meaning: { kind: "propertiesFile" },
    group: "general",
  },
  {
    flag: "--extra-properties-file",
    value: "FILE",
    meaning: { kind: "extraPropertiesFile" },
    group: "general",
    since: "4.2",
  },
  {
    flag: "--load-spark-defaults",
    switches: "loadDefaults",
    group: "general",
    since: "4.0",
  },
  {
    flag: "--driver-memory",
    value: "MEM",
    meaning: setting("driverMemory"),
    group: "general",
  },
  {
    flag: "--driver-java-options",
    value: "OPTIONS",
    meaning: setting("driverExtraJavaOptions"),
    group: "general",
  },
  {
    flag: "--driver-library-path",
    value: "PATHS",
    meaning: setting("driverExtraLibraryPath"),
    group: "general",
  },
  {
    flag: "--driver-class-path",
    value: "PATHS",
    meaning: setting("driverExtraClassPath"),
    group: "general",
  },
  {
    flag: "--driver-default-class-path",
    value: "PATHS",
    meaning: setting("driverDefaultClassPath"),
    group: "general",
    since: "4.0",
    hidden: true,
  },
  {
    flag: "--executor-memory",
    value: "MEM",
    meaning: field("executorMemory"),
    group: "general",
  },
  {
    flag: "--proxy-user",
    value: "NAME",
    meaning: field("proxyUser"),
    group: "general",
  },
  { flag: "--help", alias: "-h", switches: "help", group: "general" },
  {
    flag: "--verbose",
    alias: "-v",
    switches: "verbose",
    group: "general",
  },
  { flag: "--version", switches: "version", group: "general" },
  {
    flag: "--usage-error",
    switches: "usageError",
    group: "general",
    hidden: true,
  },
  {
    flag: "--remote",
    value: "CONNECT_URL",
    meaning: field("remote"),
    group: "connect",
  },
  {
    flag: "--driver-cores",
    value: "NUM",
    meaning: field("driverCores"),
    group: "cluster",
  },
  {
    flag: "--supervise",
    switches: "supervise",
    group: "standaloneCluster",
  },
  {
    flag: "--kill",
    value: "SUBMISSION_ID",
    meaning: { kind: "action", action: "kill" },
    group: "standaloneOrKubernetesCluster",
  },
  {
    flag: "--status",
    value: "SUBMISSION_ID",
    meaning: { kind: "action", action: "status" },
    group: "standaloneOrKubernetesCluster",
  },
  {
    flag: "--total-executor-cores",
    value: "NUM",
    meaning: field("totalExecutorCores"),
    group: "standalone",
  },
  {
    flag: "--executor-cores",
    value: "NUM",
    meaning: field("executorCores"),
    group: "standaloneYarnKubernetes",
  },
  {
    flag: "--num-executors",
    value: "NUM",
    meaning: field("numExecutors"),
    group: "yarnKubernetes",
  },
  {
    flag: "--principal",
    value: "PRINCIPAL",
    meaning: field("principal"),
    group: "yarnKubernetes",
  },
  {
    flag: "--keytab",
    value: "KEYTAB",
    meaning: field("keytab"),
    group: "yarnKubernetes",
  },
  {
    flag: "--queue",
    value: "QUEUE_NAME",
    meaning: field("queue"),
    group: "yarn",
  },
  {
    flag: "--logs",
    value: "MODE",
    meaning: setting("logs"),
    group: "firesteel",
  },
  {
    flag: "--fail-fast",
    switches: "failFast",
    group: "firesteel",
  },
  {
    flag: "--check",
    switches: "check",
    group: "firesteel",
  },
  {
    flag: "--spark-version",
    value: "VERSION",
    meaning: setting("sparkVersion"),
    group: "firesteel",
  },
  {
    flag: "--submission-token",
    value: "TOKEN",
    meaning: setting("submissionToken"),
    group: "firesteel",
  },
  {
    flag: "--staging",
    value: "MODE",
    meaning: setting("staging"),
    group: "firesteel",
  },
  {
    flag: "--json",
    switches: "json",
    group: "firesteel",
  },
  {
    flag: "--kubernetes-namespace",
    value: "NAMESPACE",
    meaning: { kind: "firstReleaseKey", key: firstReleaseNamespace },
    group: "firesteel",
    hidden: true,
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
      arg.endsWith(specialClasses.connectShell) || newer.some(({ flag }) => arg === flag || arg.startsWith(`${flag}=`)),
  );
}
