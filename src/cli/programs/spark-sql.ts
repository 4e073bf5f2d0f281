import type { Host } from "../../host/host.ts";
import { specialClasses } from "../../plan/special-classes.ts";
import { runSparkSubmit } from "../commands/submit.ts";
import { asSparkSubmit, classicMode } from "./as-spark-submit.ts";

/** `spark-sql`: gives the exit code. */
export async function runSparkSql(host: Host): Promise<number> {
  const usage = "Usage: ./bin/spark-sql [options] [cli option]";
  const words = ["--class", specialClasses.sqlShell, ...host.argv];
  return runSparkSubmit(asSparkSubmit(host, { words, usage, env: await classicMode(host) }));
}
