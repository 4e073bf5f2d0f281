import { newestLine } from "../../conf/spark-version.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import { execInPlace } from "../../host/exec-in-place.ts";
import type { Host } from "../../host/host.ts";
import { overrideHost } from "../../host/override-host.ts";
import { findJavaCommand, launchOf } from "./find-launch.ts";
import { classCommand } from "./java-command.ts";
import { emptyLaunch } from "./launch.ts";
import { findDriverSpark } from "./local-spark.ts";
import { pythonPath, runPython } from "./prepare-python.ts";
import { printDeveloperClasses, printLaunch } from "./print-launch.ts";

/**
 * Starts the command line of Declarative Pipelines with a local Spark. Returns the exit code.
 *
 * Source: bin/spark-pipelines of Spark 4.1.4 to 4.3.0.
 *
 * @throws SUBMIT_ERR_SPARK_NEEDED, SUBMIT_ERR_SPARK_TOO_OLD, SUBMIT_ERR_JAVA_HOME_MISSING, SUBMIT_ERR_PROGRAM_START
 */
export async function startPipelines(host: Host): Promise<number> {
  const spark = findDriverSpark(host, host.env["FIRESTEEL_SPARK_VERSION"] || undefined);
  if (spark === undefined) throw submitError("SUBMIT_ERR_SPARK_NEEDED", { what: "spark-pipelines", line: newestLine });
  const variables = { SPARK_HOME: spark.home, PYTHONPATH: pythonPath(host, spark.home) };
  const prepared = overrideHost(host, { env: { ...host.env, ...variables } });
  const launch = launchOf(prepared, { spark, targetLine: newestLine, ...emptyLaunch });
  if (launch.line === "3.5" || launch.line === "4.0")
    throw submitError("SUBMIT_ERR_SPARK_TOO_OLD", { what: "spark-pipelines", since: "4.1", home: spark.home });
  const java = findJavaCommand(host);
  const script = await pipelinesScript(prepared, spark.home);
  // Spark's shell script does the same with all arguments.
  const scriptArgs = [script, ...host.argv].map((arg) => arg.replaceAll("\r", ""));
  const { args } = orThrow(classCommand(launch, "org.apache.spark.deploy.SparkPipelines", scriptArgs));
  const env = { ...launch.host.env, ...(java.home === undefined ? {} : { JAVA_HOME: java.home }) };
  printDeveloperClasses(launch);
  printLaunch(launch, { command: java.command, args, env: {} });
  const { code, error } = await execInPlace(host, { command: java.command, args, env });
  if (error !== undefined) throw submitError("SUBMIT_ERR_PROGRAM_START", { command: java.command, reason: error });
  return code;
}

/** Runs Python to locate the pipelines program in its pyspark package. */
async function pipelinesScript(host: Host, home: string): Promise<string> {
  const program = "import os, pyspark; print(os.path.join(os.path.dirname(pyspark.__file__), 'pipelines', 'cli.py'))";
  const { code, output } = await runPython(host, host.env["PYSPARK_PYTHON"] || "python3", program, host.env);
  const path = output.trim();
  return code === 0 && path !== "" ? path : `${home}/python/pyspark/pipelines/cli.py`;
}
