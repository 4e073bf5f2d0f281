import type { Host } from "../../host/host.ts";
import { runSparkSubmit } from "../commands/submit.ts";
import { asSparkSubmit } from "./as-spark-submit.ts";

/** Runs `run-example`. @returns the exit code */
export function runExample(host: Host): Promise<number> {
  const usage = "Usage: ./bin/run-example [options] example-class [example args]";
  return runSparkSubmit(asSparkSubmit(host, { args: ["run-example", ...host.argv], usage }));
}
