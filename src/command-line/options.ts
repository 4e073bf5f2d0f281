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
      /** Whether the option can be repeated: the setting is a list of all values. */
      readonly isRepeated?: true;
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

type Ungrouped = Omit<ValueOption, "group"> | Omit<SwitchOption, "group">;

/** Options by group, in the order of the usage text. */
const table: readonly (readonly [UsageGroup, readonly Ungrouped[]])[] = [
  [
    "general",
    [
      { flag: "--master", value: "MASTER_URL", meaning: field("master") },
      { flag: "--deploy-mode", value: "DEPLOY_MODE", meaning: field("deployMode") },
      { flag: "--class", value: "CLASS_NAME", meaning: field("mainClass") },
      { flag: "--name", value: "NAME", meaning: field("name") },
      { flag: "--jars", value: "JARS", meaning: field("jars") },
      { flag: "--packages", value: "PACKAGES", meaning: field("packages") },
      { flag: "--exclude-packages", value: "PACKAGES", meaning: field("packagesExclusions") },
      { flag: "--repositories", value: "URLS", meaning: field("repositories") },
      { flag: "--py-files", value: "PY_FILES", meaning: field("pyFiles") },
      { flag: "--files", value: "FILES", meaning: field("files") },
      { flag: "--archives", value: "ARCHIVES", meaning: field("archives") },
      { flag: "--conf", alias: "-c", value: "PROP=VALUE", meaning: { kind: "setting" } },
      { flag: "--properties-file", value: "FILE", meaning: { kind: "propertiesFile" } },
      { flag: "--extra-properties-file", value: "FILE", meaning: { kind: "extraPropertiesFile" }, since: "4.2" },
      { flag: "--load-spark-defaults", switches: "loadDefaults", since: "4.0" },
      { flag: "--driver-memory", value: "MEM", meaning: setting("driverMemory") },
      { flag: "--driver-java-options", value: "OPTIONS", meaning: setting("driverExtraJavaOptions") },
      { flag: "--driver-library-path", value: "PATHS", meaning: setting("driverExtraLibraryPath") },
      { flag: "--driver-class-path", value: "PATHS", meaning: setting("driverExtraClassPath") },
      {
        flag: "--driver-default-class-path",
        value: "PATHS",
        meaning: setting("driverDefaultClassPath"),
        since: "4.0",
        hidden: true,
      },
      { flag: "--executor-memory", value: "MEM", meaning: field("executorMemory") },
      { flag: "--proxy-user", value: "NAME", meaning: field("proxyUser") },
      { flag: "--help", alias: "-h", switches: "help" },
      { flag: "--verbose", alias: "-v", switches: "verbose" },
      { flag: "--version", switches: "version" },
      { flag: "--usage-error", switches: "usageError", hidden: true },
    ],
  ],
  ["connect", [{ flag: "--remote", value: "CONNECT_URL", meaning: field("remote") }]],
  ["cluster", [{ flag: "--driver-cores", value: "NUM", meaning: field("driverCores") }]],
  ["standaloneCluster", [{ flag: "--supervise", switches: "supervise" }]],
  [
    "standaloneOrKubernetesCluster",
    [
      { flag: "--kill", value: "SUBMISSION_ID", meaning: { kind: "action", action: "kill" } },
      { flag: "--status", value: "SUBMISSION_ID", meaning: { kind: "action", action: "status" } },
    ],
  ],
  ["standalone", [{ flag: "--total-executor-cores", value: "NUM", meaning: field("totalExecutorCores") }]],
  ["standaloneYarnKubernetes", [{ flag: "--executor-cores", value: "NUM", meaning: field("executorCores") }]],
  [
    "yarnKubernetes",
    [
      { flag: "--num-executors", value: "NUM", meaning: field("numExecutors") },
      { flag: "--principal", value: "PRINCIPAL", meaning: field("principal") },
      { flag: "--keytab", value: "KEYTAB", meaning: field("keytab") },
    ],
  ],
  ["yarn", [{ flag: "--queue", value: "QUEUE_NAME", meaning: field("queue") }]],
  [
    "firesteel",
    [
      { flag: "--logs", value: "MODE", meaning: setting("logs") },
      { flag: "--fail-fast", switches: "failFast" },
      { flag: "--check", switches: "check" },
      { flag: "--spark-version", value: "VERSION", meaning: setting("sparkVersion") },
      { flag: "--submission-token", value: "TOKEN", meaning: setting("submissionToken") },
      { flag: "--staging", value: "MODE", meaning: setting("staging") },
      { flag: "--python-env", value: "ENV", meaning: setting("pythonEnv") },
      { flag: "--mount", value: "SOURCE:PATH", meaning: { ...setting("mounts"), isRepeated: true } },
      { flag: "--profile", value: "NAME", meaning: field("profile") },
      { flag: "--json", switches: "json" },
      {
        flag: "--kubernetes-namespace",
        value: "NAMESPACE",
        meaning: { kind: "firstReleaseKey", key: firstReleaseNamespace },
        hidden: true,
      },
    ],
  ],
];

/** All options in the order of the usage text. Source for parser, usage text and documentation. */
export const options: readonly Option[] = table.flatMap(([group, rows]) => rows.map((row) => ({ ...row, group })));

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
