import { nearestName } from "../conf/nearest-name.ts";
import { type Issue, issue } from "../errors/issue.ts";

/** Builds the issue for an unknown option, which can have the form `--name=value`. */
export function unknownOption(option: string, known: Iterable<string>): Issue {
  return issue("SUBMIT_ERR_ARG_UNKNOWN", { option, nearest: nearestOption(option, known) });
}

/** Returns the option that a misspelled one means. */
export function nearestOption(option: string, known: Iterable<string>): string | undefined {
  return nearestName(option.split("=")[0] ?? "", known);
}
