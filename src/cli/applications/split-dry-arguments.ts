import { type SplitArgs, splitLeadingOptions } from "../dry/split-leading-options.ts";
import { parseInterleavedArgs } from "../parse-interleaved-args.ts";
import { parseOptions } from "../parse-options.ts";
import { fileValues } from "./cluster-options.ts";
import { startsWithFile } from "./starts-with-file.ts";

/**
 * Splits the arguments of a command into its own options, and those of a submission, or those of `apply` after a file of applications.
 * The options of `apply` end with no application's arguments, so the own ones can also follow the file.
 *
 * @throws SUBMIT_ERR_ARG_…
 */
export function splitDryArguments<F extends string, V extends string>(
  args: readonly string[],
  known: { readonly flags: readonly F[]; readonly values: readonly V[] },
): SplitArgs<F, V> {
  const split = splitLeadingOptions(args, known);
  if (!startsWithFile(split.submission)) return split;
  const ofFile: readonly string[] = fileValues;
  const values = known.values.filter((name) => !ofFile.includes(name));
  const { own, positionals, rest } = parseInterleavedArgs(split.submission, {
    flags: known.flags,
    values: [...values, ...fileValues],
  });
  const withValues = (names: readonly (V | (typeof fileValues)[number])[]) =>
    names.flatMap((name) => own.values(name).flatMap((value) => [name, value]));
  const leading = args.slice(0, args.length - split.submission.length);
  const all = [...leading, ...known.flags.filter((flag) => own.has(flag)), ...withValues(values)];
  return {
    own: parseOptions(all, { ...known, maxPositionals: 0 }),
    submission: [...withValues(fileValues), ...rest, ...positionals],
  };
}
