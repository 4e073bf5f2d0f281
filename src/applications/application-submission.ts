import { firesteelSparkVersion } from "../conf/entries/firesteel.ts";
import { fieldKeys } from "../conf/entries/spark-application.ts";
import type { Role } from "../conf/entry.ts";
import type { Setting } from "../conf/setting.ts";
import { parseSparkVersion } from "../conf/spark-version.ts";
import type { Host } from "../host/host.ts";
import { overrideHost } from "../host/override-host.ts";
import { withFiles } from "../host/with-files.ts";
import type { CommandLineSettings, SubmitInvocation } from "../plan/invocation.ts";
import type { CheckedApplication } from "../spark-application/check-application.ts";
import type { OwnTranslation } from "../spark-application/own/translate-own.ts";
import { translateApplication } from "../spark-application/translate/translate.ts";
import type { UserStep } from "../spec/user-steps/user-step.ts";

/** A submission that is equivalent to an application, with the host from which it reads. */
export interface ApplicationSubmission {
  readonly host: Host;
  readonly invocation: SubmitInvocation;
  /** Feature steps that the application adds. */
  readonly extraSteps: readonly UserStep[];
}

/** Variables of Spark's and Hadoop's scripts, which the operator does not have. */
const machineVariables = /^(SPARK_|PYSPARK_|HADOOP_|YARN_|MASTER$|DEPLOY_MODE$)/;

/** Options and settings of the command line, which take precedence over those of the file. */
export type Overrides = Pick<CommandLineSettings, "fields" | "settings" | "verbose"> &
  Partial<Pick<CommandLineSettings, "propertiesFile" | "extraPropertiesFiles" | "loadsDefaults">> & {
    /** Settings of a profile, over which the file takes precedence. @default none */
    readonly profile?: readonly Setting[];
  };

/** Builds the submission of a SparkApplication. Files and variables of this machine that configure Spark have no effect: the file is complete. */
export function applicationSubmission(
  host: Host,
  loaded: CheckedApplication,
  overrides: Overrides,
): ApplicationSubmission {
  const { input, translation } = inNamespaceOf(overrides, loaded);
  const templates = templateFiles(input.name, translation.templates);
  const env = Object.fromEntries(Object.entries(host.env).filter(([name]) => !machineVariables.test(name)));
  const settings = [
    ...translation.settings,
    ...templates.map(({ role, path }) => setting(input.file, fieldKeys[role].template, path)),
    versionSetting(input.file, input.spec.sparkVersion),
  ];
  return {
    host: withFiles(overrideHost(host, { env }), new Map(templates.map(({ path, text }) => [path, text]))),
    invocation: invocationOf({ ...translation, settings }, overrides),
    extraSteps: [translation.driverStep],
  };
}

/** Translates an application again if the command line replaces its namespace, which is also that of its Services and in its URLs. */
function inNamespaceOf(
  { settings }: Overrides,
  { input, translation }: CheckedApplication,
): Pick<CheckedApplication, "input" | "translation"> {
  const namespace = settings.findLast(({ key }) => key === fieldKeys.namespace)?.value ?? input.namespace;
  if (namespace === input.namespace) return { input, translation };
  const moved = { ...input, namespace };
  return { input: moved, translation: translateApplication(moved) };
}

/** Builds the submission of an application in the own format, which reads this machine's files and variables as spark-submit does. */
export function ownSubmission(host: Host, translation: OwnTranslation, overrides: Overrides): ApplicationSubmission {
  return { host, invocation: invocationOf(translation, overrides), extraSteps: [] };
}

function invocationOf({ fields, settings, resource, appArgs }: OwnTranslation, overrides: Overrides): SubmitInvocation {
  return {
    action: "submit",
    fields: { ...fields, ...overrides.fields },
    settings: [
      ...new Map(
        [...(overrides.profile ?? []), ...settings, ...overrides.settings].map((each) => [each.key, each]),
      ).values(),
    ],
    resource,
    appArgs,
    isExample: false,
    forwardedOptions: [],
    propertiesFile: overrides.propertiesFile,
    extraPropertiesFiles: overrides.extraPropertiesFiles ?? [],
    loadsDefaults: overrides.loadsDefaults ?? false,
    supervise: false,
    verbose: overrides.verbose,
  };
}

function templateFiles(name: string, templates: Readonly<Record<Role, string | undefined>>) {
  return (["driver", "executor"] as const).flatMap((role) => {
    const text = templates[role];
    return text === undefined ? [] : [{ role, text, path: `/spark-application/${name}/${role}-template.json` }];
  });
}

function setting(file: string, key: string, value: string): Setting {
  return { key, value, origin: { kind: "file", path: file } };
}

/** Returns the version whose pods to build: that of the application, or for an unknown one that of the operator. */
function versionSetting(file: string, sparkVersion: string): Setting {
  const isKnown = parseSparkVersion(sparkVersion) !== undefined;
  return setting(file, firesteelSparkVersion.key, isKnown ? sparkVersion : operatorSpark);
}

/** Version of Spark in the image of Kubeflow Spark operator 2.5.2. */
const operatorSpark = "4.0.5";
