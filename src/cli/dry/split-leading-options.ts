import { type Flags, parseOptions } from "../parse-options.ts";

/** The words of a command that are its own, and those that are spark-submit's. */
export interface SplitArgs<F extends string, V extends string> {
  readonly own: Flags<F, V>;
  readonly submission: readonly string[];
}

/**
 * Takes the options of a command from the front, up to the first word that it does not know: from there on everything is
 * a submission's, whose application may have options of the same names.
 *
 * @throws SubmitError as `parseOptions`
 */
export function splitLeadingOptions<F extends string, V extends string>(
  args: readonly string[],
  known: { readonly flags: readonly F[]; readonly values: readonly V[] },
): SplitArgs<F, V> {
  const names: readonly string[] = known.values;
  const flags: readonly string[] = known.flags;
  let taken = 0;
  for (let word = args[taken]; word !== undefined; word = args[taken]) {
    const [name = "", inline] = word.split(/=(.*)/s);
    if (flags.includes(word)) taken += 1;
    else if (names.includes(name)) taken += inline === undefined ? 2 : 1;
    else break;
  }
  return {
    own: parseOptions(args.slice(0, taken), { ...known, maxPositionals: 0 }),
    submission: args.slice(taken),
  };
}
