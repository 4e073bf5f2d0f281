import { callSystemExitOnMainExit } from "../../conf/entries/submission.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { traitsOf } from "../../conf/spark-version.ts";
import type { Host } from "../../host/host.ts";
import type { KubernetesOutcome } from "../submit-outcome.ts";

/**
 * Runs a submission, and prints the exit code of Spark's main method if the setting asks for it, also before an error.
 *
 * Source: Spark SparkSubmit.runMain; recorded with Spark 4.3.0.
 *
 * @throws what `run` throws; SUBMIT_ERR_SETTING_TYPE, only after the submission
 */
export async function withMainExitMessage(
  host: Host,
  conf: SparkConf,
  run: () => Promise<KubernetesOutcome>,
): Promise<KubernetesOutcome> {
  if (!traitsOf(conf.version.line).exitsAfterMain) return run();
  try {
    const outcome = await run();
    const hasMainEnded = outcome.end.kind !== "interrupted" && outcome.end.kind !== "terminated";
    if (hasMainEnded) printExitMessage(host, conf, 0);
    return outcome;
  } catch (error) {
    printExitMessage(host, conf, 1);
    throw error;
  }
}

function printExitMessage({ stderr }: Host, conf: SparkConf, code: 0 | 1): void {
  const { key } = callSystemExitOnMainExit;
  if (conf.get(callSystemExitOnMainExit))
    stderr.write(`Calling System.exit() with exit code ${code} because ${key}=true\n`);
}
