import type { Host } from "../../host/host.ts";
import { runSparkSubmit } from "../commands/submit.ts";
import { asSparkSubmit } from "./as-spark-submit.ts";

/** `run-example`: gives the exit code. */
export function runExample(host: Host): Promise<number> {
  const usage = "Usage: ./bin/run-example [options] example-class [example args]";
  return runSparkSubmit(asSparkSubmit(host, { words: ["run-example", ...host.argv], usage }));
}
