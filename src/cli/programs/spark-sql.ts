import type { Host } from "../../host/host.ts";
import { specialClasses } from "../../plan/special-classes.ts";
import { runSparkSubmit } from "../commands/submit.ts";
import { asSparkSubmit, classicMode } from "./as-spark-submit.ts";

/** Runs `spark-sql`. @returns the exit code */
export async function runSparkSql(host: Host): Promise<number> {
  const usage = "Usage: ./bin/spark-sql [options] [cli option]";
  const args = ["--class", specialClasses.sqlShell, ...host.argv];
  return runSparkSubmit(asSparkSubmit(host, { args, usage, env: await classicMode(host) }));
}
