import * as driver from "../../conf/entries/driver.ts";
import { type Issue, issue, type Result, unlessIssues } from "../../errors/issue.ts";
import { overrideHost } from "../../host/override-host.ts";
import { javaModuleOptions } from "../../plan/java-module-options.ts";
import { specialClasses } from "../../plan/special-classes.ts";
import { parseOptionString } from "../../values/option-string.ts";
import { classPath } from "./class-path.ts";
import { confDirectory, isClientMode, type Launch, launchSetting, launchVariable, libraryPath } from "./launch.ts";

/** JVM command that runs Spark's front end: the arguments after `java`, and additional environment variables. */
interface JavaCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const sparkSubmit = "org.apache.spark.deploy.SparkSubmit";

/**
 * Builds the JVM command of a submission like Spark's launcher, argument by argument.
 *
 * Errors: SUBMIT_ERR_OPTION_STRING for variables and `java-opts` that cannot be split into arguments.
 * Source: Spark SparkSubmitCommandBuilder.buildSparkSubmitCommand; recorded with 3.5.9 to 4.3.0.
 */
export function submitCommand(launch: Launch, sparkArgs: readonly string[]): Result<JavaCommand> {
  const isClient = isClientMode(launch);
  const isServer = [specialClasses.thriftServer, specialClasses.connectServer].some(
    (name) => name === launch.invocation.fields.mainClass,
  );
  const issues: Issue[] = [];
  const split = (text: string | undefined) => parseOptions(text, issues);
  const variable = (name: string) => launchVariable(launch, name);
  const memory =
    (isServer ? variable("SPARK_DAEMON_MEMORY") : undefined) ??
    launchSetting(launch, driver.driverMemory) ??
    variable("SPARK_DRIVER_MEMORY") ??
    variable("SPARK_MEM") ??
    driver.driverMemory.defaultText;
  const driverOptions = [driver.driverDefaultJavaOptions, driver.driverExtraJavaOptions];
  const args = [
    ...javaOptsFile(launch).flatMap(split),
    ...["-cp", classPath(launch).join(":")],
    ...(isServer ? split(variable("SPARK_DAEMON_JAVA_OPTS")) : []),
    ...split(variable("SPARK_SUBMIT_OPTS")),
    ...(isClient ? [`-Xmx${memory}`] : []),
    ...(isClient ? driverOptions.flatMap((entry) => split(launchSetting(launch, entry))) : []),
    ...javaModuleOptions(launch.line),
    ...(launch.line === "3.5" ? [] : ["-Dderby.connection.requireAuthentication=false"]),
    sparkSubmit,
    ...sparkArgs,
  ];
  return unlessIssues(issues, { args, env: isClient ? libraryPath(launch) : {} });
}

/** Builds the JVM command of another Spark class that runs locally, such as that of `spark-pipelines`. */
export function classCommand(launch: Launch, className: string, classArgs: readonly string[]): Result<JavaCommand> {
  const memory = launchVariable(launch, "SPARK_DRIVER_MEMORY") ?? driver.driverMemory.defaultText;
  const issues: Issue[] = [];
  // The API mode applies only to submissions.
  const { SPARK_CONNECT_MODE: _, ...env } = launch.host.env;
  const args = [
    ...javaOptsFile(launch).flatMap((text) => parseOptions(text, issues)),
    ...["-cp", classPath({ ...launch, host: overrideHost(launch.host, { env }) }).join(":")],
    `-Xmx${memory}`,
    ...javaModuleOptions(launch.line),
    className,
    ...classArgs,
  ];
  return unlessIssues(issues, { args, env: {} });
}

function parseOptions(text: string | undefined, issues: Issue[]): readonly string[] {
  const args = parseOptionString(text ?? "");
  if (args === undefined) issues.push(issue("SUBMIT_ERR_OPTION_STRING", { text: text ?? "" }));
  return args ?? [];
}

/** Reads the options in `java-opts` of the configuration directory, which apply to every JVM. */
function javaOptsFile(launch: Launch): readonly string[] {
  const path = `${confDirectory(launch)}/java-opts`;
  const { files } = launch.host;
  return files.info(path)?.kind === "file" ? (files.readText(path) ?? "").split(/\r\n|[\r\n]/) : [];
}
