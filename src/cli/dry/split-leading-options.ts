import { options as submitOptions } from "../../command-line/options.ts";
import { nearestOption, unknownOption } from "../../command-line/unknown-option.ts";
import { SubmitError } from "../../errors/submit-error.ts";
import { parseOptions } from "../parse-options.ts";
import type { ParsedOptions } from "../parsed-options.ts";

/** Arguments of a command: its own options, then the arguments of a submission. */
export interface SplitArgs<F extends string, V extends string> {
  readonly own: ParsedOptions<F, V>;
  readonly submission: readonly string[];
}

/**
 * Splits off a command's own options at the first argument that is none of them. Everything after it belongs to the submission, whose
 * application can have options with the same names.
 *
 * @throws SubmitError as `parseOptions`, and `SUBMIT_ERR_ARG_UNKNOWN` for a misspelled option of the command
 */
export function splitLeadingOptions<F extends string, V extends string>(
  args: readonly string[],
  known: { readonly flags: readonly F[]; readonly values: readonly V[] },
): SplitArgs<F, V> {
  const names: readonly string[] = known.values;
  const flags: readonly string[] = known.flags;
  let count = 0;
  for (let arg = args[count]; arg !== undefined; arg = args[count]) {
    const [name = "", inline] = arg.split(/=(.*)/s);
    if (flags.includes(arg)) count += 1;
    else if (names.includes(name)) count += inline === undefined ? 2 : 1;
    else {
      rejectOwnTypo(arg, [...flags, ...names]);
      break;
    }
  }
  return {
    own: parseOptions(args.slice(0, count), { ...known, maxPositionals: 0 }),
    submission: args.slice(count),
  };
}

/** Rejects an option that is similar to one of the command's own, and more similar than to any option of spark-submit. */
function rejectOwnTypo(arg: string, own: readonly string[]): void {
  const ofSubmit: readonly string[] = submitOptions.map(({ flag }) => flag);
  const known = [...ofSubmit, ...own];
  if (!arg.startsWith("--") || ofSubmit.includes(arg.split("=")[0] ?? "")) return;
  const nearest = nearestOption(arg, known);
  if (nearest !== undefined && own.includes(nearest)) throw new SubmitError([unknownOption(arg, own)]);
}
