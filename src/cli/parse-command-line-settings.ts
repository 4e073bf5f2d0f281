import { parseCommandLine } from "../command-line/parse.ts";
import { newestLine } from "../conf/spark-version.ts";
import { orThrow } from "../errors/submit-error.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";

/**
 * Options and settings of spark-submit, for commands that submit nothing.
 *
 * @throws SUBMIT_ERR_ARG_…
 */
export function parseCommandLineSettings(words: readonly string[]): CommandLineSettings {
  // The grammar of spark-submit wants an application; here it stands for none.
  return orThrow(parseCommandLine([...words, "spark-internal"], newestLine));
}
