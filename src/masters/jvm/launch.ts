import * as app from "../../conf/entries/app.ts";
import { driverExtraLibraryPath } from "../../conf/entries/driver.ts";
import type { ConfEntry } from "../../conf/entry.ts";
import type { SparkLine } from "../../conf/spark-version.ts";
import type { Host } from "../../host/host.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";

/** Inputs of Spark's launcher when it builds a JVM command. */
export interface Launch {
  /** Host with the environment that the launcher scripts set. */
  readonly host: Host;
  /** Path of the Spark distribution, as in SPARK_HOME. */
  readonly home: string;
  readonly line: SparkLine;
  readonly invocation: SubmitInvocation;
  /** Settings of `--conf` and of properties files, by key. */
  readonly settings: ReadonlyMap<string, string>;
}

/** Launch without a submission. */
export const emptyLaunch: Pick<Launch, "invocation" | "settings"> = {
  invocation: {
    ...{ action: "submit", resource: "", forwardedOptions: [], appArgs: [], fields: {}, settings: [] },
    ...{ propertiesFile: undefined, extraPropertiesFiles: [], loadsDefaults: false },
    ...{ isExample: false, supervise: false, verbose: false },
  },
  settings: new Map(),
};

/** Returns a setting as the launcher reads it. An empty value counts as absent. */
export function launchSetting({ settings }: Launch, entry: ConfEntry<unknown>): string | undefined {
  return nonEmpty(settings.get(entry.key));
}

/** Returns a setting of the command line only. The launcher does not read the shells' interpreters from files. */
export function commandLineSetting({ invocation }: Launch, entry: ConfEntry<unknown>): string | undefined {
  return nonEmpty(invocation.settings.find(({ key }) => key === entry.key)?.value);
}

/** Returns an environment variable. An empty value counts as absent. */
export function launchVariable({ host }: Launch, name: string): string | undefined {
  return nonEmpty(host.env[name]);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** Builds the environment variable with the native library path of a local driver. */
export function libraryPath(launch: Launch): Readonly<Record<string, string>> {
  const configured = launchSetting(launch, driverExtraLibraryPath);
  if (configured === undefined) return {};
  const name = launch.host.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH";
  const before = launchVariable(launch, name);
  return { [name]: before === undefined ? configured : `${before}:${configured}` };
}

/** Returns the directory with settings and `java-opts`. */
export function confDirectory(launch: Launch): string {
  return launchVariable(launch, "SPARK_CONF_DIR") ?? `${launch.home}/conf`;
}

/**
 * Returns whether the launcher assumes a local driver. It reads options and settings, but no variables such as DEPLOY_MODE.
 *
 * Source: Spark SparkSubmitCommandBuilder.isClientMode.
 */
export function isClientMode(launch: Launch): boolean {
  const { fields } = launch.invocation;
  const master = fields.master ?? launchSetting(launch, app.master);
  const mode = fields.deployMode ?? launchSetting(launch, app.submitDeployMode);
  return master === undefined || mode === undefined || mode === "client";
}
