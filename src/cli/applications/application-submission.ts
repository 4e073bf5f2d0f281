import { firesteelSparkVersion } from "../../conf/entries/firesteel.ts";
import { fieldKeys } from "../../conf/entries/spark-application.ts";
import type { Role } from "../../conf/entry.ts";
import type { Setting } from "../../conf/setting.ts";
import { parseSparkVersion } from "../../conf/spark-version.ts";
import type { Host } from "../../host/host.ts";
import { overrideHost } from "../../host/override-host.ts";
import { withFiles } from "../../host/with-files.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import type { LoadedApplication } from "./load-application.ts";

/** A submission that is equivalent to an application, with the host from which it reads. */
export interface ApplicationSubmission {
  readonly host: Host;
  readonly invocation: SubmitInvocation;
}

/** Variables of Spark's and Hadoop's scripts, which the operator does not have. */
const machineVariables = /^(SPARK_|PYSPARK_|HADOOP_|YARN_|MASTER$|DEPLOY_MODE$)/;

/**
 * Builds the submission of an application. Files and variables of this machine that configure Spark have no effect, as the file is complete.
 *
 * @param master value of `--master`
 */
export function applicationSubmission(
  host: Host,
  { input, translation }: LoadedApplication,
  master: string,
): ApplicationSubmission {
  const templates = templateFiles(input.name, translation.templates);
  const env = Object.fromEntries(Object.entries(host.env).filter(([name]) => !machineVariables.test(name)));
  const settings = [
    ...translation.settings,
    ...templates.map(({ role, path }) => setting(input.file, fieldKeys[role].template, path)),
    versionSetting(input.file, input.spec.sparkVersion),
  ];
  return {
    host: withFiles(overrideHost(host, { env }), new Map(templates.map(({ path, text }) => [path, text]))),
    invocation: {
      action: "submit",
      fields: { ...translation.fields, master },
      settings,
      resource: translation.resource,
      appArgs: translation.appArgs,
      isExample: false,
      forwardedOptions: [],
      propertiesFile: undefined,
      extraPropertiesFiles: [],
      loadsDefaults: false,
      supervise: false,
      verbose: false,
    },
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
