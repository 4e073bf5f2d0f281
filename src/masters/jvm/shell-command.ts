import { toSubmitArgs } from "../../command-line/to-submit-args.ts";
import * as app from "../../conf/entries/app.ts";
import { failure, type Result, success } from "../../errors/issue.ts";
import { parseOptionString } from "../../values/option-string.ts";
import { commandLineSetting, type Launch, launchVariable, libraryPath } from "./launch.ts";

/** Command of a Python or R shell, which starts Spark's JVM itself. */
export interface ShellCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Builds the Python command of `pyspark` like Spark's launcher.
 *
 * Errors: SUBMIT_ERR_REMOTE_WITH_MASTER, SUBMIT_ERR_OPTION_STRING for a PYSPARK_DRIVER_PYTHON_OPTS that cannot be
 * split.
 * Source: Spark SparkSubmitCommandBuilder.buildPySparkShellCommand; recorded with 3.5.9 to 4.3.0.
 */
export function pythonShell(launch: Launch): Result<ShellCommand> {
  const specified = specifiedTarget(launch);
  if (specified.remote !== undefined && (specified.master ?? specified.deployMode) !== undefined)
    return failure("SUBMIT_ERR_REMOTE_WITH_MASTER", {});
  const options = launchVariable(launch, "PYSPARK_DRIVER_PYTHON_OPTS") ?? "";
  const args = parseOptionString(options);
  if (args === undefined) return failure("SUBMIT_ERR_OPTION_STRING", { text: options });
  const knowsModes = launch.line !== "3.5";
  const python = commandLineSetting(launch, app.pysparkPython);
  const submitArgs = toSubmitArgs(launch.invocation, {
    omitted: knowsModes ? ["--remote", app.remote.key, app.apiMode.key] : [],
  });
  const command =
    commandLineSetting(launch, app.pysparkDriverPython) ??
    python ??
    launchVariable(launch, "PYSPARK_DRIVER_PYTHON") ??
    launchVariable(launch, "PYSPARK_PYTHON") ??
    "python3";
  const env = {
    PYSPARK_SUBMIT_ARGS: quoteArgs(submitArgs),
    ...(knowsModes ? { SPARK_API_MODE: apiModeOf(launch) } : {}),
    ...(python === undefined ? {} : { PYSPARK_PYTHON: python }),
    ...connectVariables(launch),
    ...libraryPath(launch),
  };
  return success({ command, args, env });
}

/** Returns the master and remote that the command line specifies. */
function specifiedTarget(launch: Launch) {
  const { fields } = launch.invocation;
  return {
    remote: fields.remote || commandLineSetting(launch, app.remote),
    master: fields.master || commandLineSetting(launch, app.master),
    deployMode: fields.deployMode || commandLineSetting(launch, app.submitDeployMode),
  };
}

/** Returns the API mode, `classic` or `connect`, case-insensitive. */
function apiModeOf(launch: Launch): string {
  const specified = commandLineSetting(launch, app.apiMode);
  if (specified !== undefined && ["classic", "connect"].includes(specified.toLowerCase())) return specified;
  return launchVariable(launch, "SPARK_CONNECT_MODE") === "1" ? "connect" : "classic";
}

function connectVariables(launch: Launch): Readonly<Record<string, string>> {
  const { remote, master = "local" } = specifiedTarget(launch);
  if (remote !== undefined) return { SPARK_REMOTE: remote, SPARK_CONNECT_MODE_ENABLED: "1" };
  if (launch.line === "3.5" || apiModeOf(launch).toLowerCase() !== "connect") return {};
  return { MASTER: master, SPARK_CONNECT_MODE_ENABLED: "1" };
}

/** Builds the R command of `sparkR` like Spark's launcher. Source: Spark SparkSubmitCommandBuilder.buildSparkRCommand. */
export function rShell(launch: Launch): Result<ShellCommand> {
  const command =
    commandLineSetting(launch, app.rShellCommand) ??
    launchVariable(launch, "SPARKR_DRIVER_R") ??
    app.rShellCommand.defaultText;
  const env = {
    SPARKR_SUBMIT_ARGS: quoteArgs(toSubmitArgs(launch.invocation)),
    R_PROFILE_USER: `${launch.home}/R/lib/SparkR/profile/shell.R`,
    ...libraryPath(launch),
  };
  return success({ command, args: [], env });
}

/** Quotes arguments as Python and R parse them. */
function quoteArgs(args: readonly string[]): string {
  return args.map((arg) => `"${arg.replaceAll(/["\\]/g, "\\$&")}"`).join(" ");
}
