import { parseCommandLine } from "../command-line/parse.ts";
import { context as contextEntry } from "../conf/entries/submission.ts";
import { newestLine } from "../conf/spark-version.ts";
import { orThrow } from "../errors/submit-error.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";

interface ClusterChoice {
  /** Context of the kubeconfig, which takes precedence over that of the arguments. @default that of the arguments */
  readonly context?: string | undefined;
}

/**
 * Parses options and settings of spark-submit, for commands without a submission.
 *
 * @throws SUBMIT_ERR_ARG_…
 */
export function parseCommandLineSettings(
  args: readonly string[],
  { context }: ClusterChoice = {},
): CommandLineSettings {
  const choice = context === undefined ? [] : ["--conf", `${contextEntry.key}=${context}`];
  // A placeholder: the parser of spark-submit requires an application.
  return orThrow(parseCommandLine([...args, ...choice, "spark-internal"], newestLine));
}
