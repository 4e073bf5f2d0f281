import type { Host } from "../../host/host.ts";
import { runSparkSubmit } from "../commands/submit.ts";
import { asSparkSubmit, classicMode } from "./as-spark-submit.ts";

/** Runs `sparkR`. Source: bin/sparkR of Spark 3.5.9 to 4.3.0. @returns the exit code */
export async function runSparkR(host: Host): Promise<number> {
  const usage = "Usage: ./bin/sparkR [options]";
  const args = ["sparkr-shell-main", ...host.argv];
  return runSparkSubmit(asSparkSubmit(host, { args, usage, env: await classicMode(host) }));
}
