import { plugins } from "../../conf/entries/app.ts";
import type { Host } from "../../host/host.ts";
import { overrideHost } from "../../host/override-host.ts";
import { runSparkShell } from "./spark-shell.ts";

/** Runs `spark-connect-shell`: `spark-shell` with a Spark Connect server. @returns the exit code */
export function runSparkConnectShell(host: Host): Promise<number> {
  const plugin = `${plugins.key}=org.apache.spark.sql.connect.SparkConnectPlugin`;
  return runSparkShell(overrideHost(host, { argv: ["--conf", plugin, ...host.argv] }));
}
