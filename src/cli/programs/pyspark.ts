import type { Host } from "../../host/host.ts";
import { overrideHost } from "../../host/override-host.ts";
import { runSparkSubmit } from "../commands/submit.ts";
import { withLauncherEnvironment } from "../environment.ts";
import { asSparkSubmit } from "./as-spark-submit.ts";
import { isHelpRequest } from "./is-help-request.ts";

/** Runs `pyspark`. Source: bin/pyspark of Spark 3.5.9 to 4.3.0. @returns the exit code */
export async function runPyspark(host: Host): Promise<number> {
  const { IPYTHON = "", IPYTHON_OPTS = "" } = host.env;
  if (IPYTHON !== "" || IPYTHON_OPTS !== "") {
    host.stdout.write(
      "Error in pyspark startup:\nIPYTHON and IPYTHON_OPTS are removed in Spark 2.0+. Remove these from the environment and set PYSPARK_DRIVER_PYTHON and PYSPARK_DRIVER_PYTHON_OPTS instead.\n",
    );
    return 1;
  }
  const usage = "Usage: ./bin/pyspark [options]";
  const args = ["pyspark-shell-main", "--name", "PySparkShell", ...host.argv];
  // spark-env.sh can set the Python interpreter.
  const prepared = isHelpRequest(host) ? host : await withPython(await withLauncherEnvironment(host));
  return runSparkSubmit(asSparkSubmit(prepared, { args, usage }));
}

async function withPython(host: Host): Promise<Host> {
  const { preparePython } = await import("../../masters/jvm/prepare-python.ts");
  return overrideHost(host, { env: { ...host.env, ...(await preparePython(host)) } });
}
