import type { Host } from "../../host/host.ts";
import { runSparkSubmit } from "../commands/submit.ts";
import { asSparkSubmit, classicMode } from "./as-spark-submit.ts";

/** `sparkR`: gives the exit code. Source: bin/sparkR of Spark 3.5.9 to 4.3.0. */
export async function runSparkR(host: Host): Promise<number> {
  const usage = "Usage: ./bin/sparkR [options]";
  const words = ["sparkr-shell-main", ...host.argv];
  return runSparkSubmit(asSparkSubmit(host, { words, usage, env: await classicMode(host) }));
}
