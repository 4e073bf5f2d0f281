import { parseCommandLine } from "../command-line/parse.ts";
import { newestLine } from "../conf/spark-version.ts";
import { orThrow } from "../errors/submit-error.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";

/**
 * Parses options and settings of spark-submit, for commands without a submission.
 *
 * @throws SUBMIT_ERR_ARG_…
 */
export function parseCommandLineSettings(args: readonly string[]): CommandLineSettings {
  // A placeholder: the parser of spark-submit requires an application.
  return orThrow(parseCommandLine([...args, "spark-internal"], newestLine));
}
