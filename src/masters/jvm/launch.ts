import * as app from "../../conf/entries/app.ts";
import type { ConfEntry } from "../../conf/entry.ts";
import type { SparkLine } from "../../conf/spark-version.ts";
import type { Host } from "../../host/host.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";

/** Inputs of Spark's launcher when it builds a JVM command. */
export interface Launch {
  /** Its environment is what the launcher scripts leave. */
  readonly host: Host;
  /** The Spark distribution, as SPARK_HOME names it. */
  readonly home: string;
  readonly line: SparkLine;
  readonly invocation: SubmitInvocation;
  /** Settings of `--conf`, and of the files that are read; each key once. */
  readonly settings: ReadonlyMap<string, string>;
}

/** Launch without a submission. */
export const emptyLaunch: Pick<Launch, "invocation" | "settings"> = {
  invocation: {
    action: "submit",
    resource: "",
    forwardedOptions: [],
    appArgs: [],
    isExample: false,
    fields: {},
    settings: [],
    propertiesFile: undefined,
    extraPropertiesFiles: [],
    loadsDefaults: false,
    supervise: false,
    verbose: false,
  },
  settings: new Map(),
};

/** A setting as the launcher sees it; empty counts as absent. */
export function launchSetting({ settings }: Launch, entry: ConfEntry<unknown>): string | undefined {
  return nonEmpty(settings.get(entry.key));
}

/** The same of the command line alone: the shells' interpreters are not looked for in files. */
export function commandLineSetting({ invocation }: Launch, entry: ConfEntry<unknown>): string | undefined {
  return nonEmpty(invocation.settings.find(({ key }) => key === entry.key)?.value);
}

/** A variable that is there and not empty. */
export function launchVariable({ host }: Launch, name: string): string | undefined {
  return nonEmpty(host.env[name]);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** Returns the directory with settings and `java-opts`. */
export function confDirectory(launch: Launch): string {
  return launchVariable(launch, "SPARK_CONF_DIR") ?? `${launch.home}/conf`;
}

/**
 * Whether the launcher takes the driver to run here. It knows options and settings; variables such as DEPLOY_MODE it does not.
 *
 * Source: Spark SparkSubmitCommandBuilder.isClientMode.
 */
export function isClientMode(launch: Launch): boolean {
  const { fields } = launch.invocation;
  const master = fields.master ?? launchSetting(launch, app.master);
  const mode = fields.deployMode ?? launchSetting(launch, app.submitDeployMode);
  return master === undefined || mode === undefined || mode === "client";
}
