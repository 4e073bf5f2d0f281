import { newestLine } from "../../conf/spark-version.ts";
import type { Host } from "../../host/host.ts";
import { findJavaCommand, launchOf } from "./find-launch.ts";
import { emptyLaunch } from "./launch.ts";
import { findDriverSpark } from "./local-spark.ts";

/**
 * Builds the variables of `pyspark`'s Python that do not depend on its arguments. Empty without a Spark.
 *
 * Source: bin/pyspark of Spark 3.5.9 to 4.3.0.
 */
export async function preparePython(host: Host): Promise<Readonly<Record<string, string>>> {
  const spark = findDriverSpark(host, host.env["FIRESTEEL_SPARK_VERSION"] || undefined);
  if (spark === undefined) return {};
  const python = host.env["PYSPARK_PYTHON"] || "python3";
  const driverPython = host.env["PYSPARK_DRIVER_PYTHON"] || python;
  const { home: javaHome } = findJavaCommand(host);
  const variables = {
    SPARK_HOME: spark.home,
    PYSPARK_PYTHON: python,
    PYSPARK_DRIVER_PYTHON: driverPython,
    PYTHONPATH: pythonPath(host, spark.home),
    OLD_PYTHONSTARTUP: host.env["PYTHONSTARTUP"] ?? "",
    PYTHONSTARTUP: `${spark.home}/python/pyspark/shell.py`,
    ...(javaHome === undefined ? {} : { JAVA_HOME: javaHome }),
  };
  const { line } = launchOf(host, { spark, targetLine: newestLine, ...emptyLaunch });
  if (line === "3.5") return variables;
  return { ...variables, ...(await connectMode(host, driverPython, variables)) };
}

/** Builds PYTHONPATH with PySpark and Py4J of a distribution before the existing entries. */
export function pythonPath({ env, files }: Host, home: string): string {
  const library = `${home}/python/lib`;
  const py4j = files.list(library)?.find((name) => /^py4j-.*-src\.zip$/.test(name)) ?? "py4j-src.zip";
  return `${library}/${py4j}:${home}/python/:${env["PYTHONPATH"] ?? ""}`;
}

/** Runs a Python program. Returns its exit code and its output to stdout. */
export async function runPython(host: Host, python: string, program: string, env: Host["env"]) {
  const child = host.spawn(python, ["-c", program], { env, stderr: "inherit" });
  const chunks: Uint8Array[] = [];
  child.onOutput(1, (chunk) => chunks.push(chunk));
  const { code } = await child.exited;
  return { code, output: Buffer.concat(chunks).toString("utf8") };
}

/** Reads from PySpark whether it is a Spark Connect client. */
async function connectMode(
  host: Host,
  python: string,
  variables: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const program = "from pyspark.util import spark_connect_mode; print(spark_connect_mode())";
  const printed = await runPython(host, python, program, { ...host.env, ...variables });
  const output = printed.output.trimEnd();
  if (output === "0" || output === "1") return { SPARK_CONNECT_MODE: output };
  host.stdout.write(
    `The environment variable SPARK_CONNECT_MODE has unknown value or pyspark.util package is not available: ${output}\n`,
  );
  return {};
}
