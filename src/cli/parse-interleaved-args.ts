import { type Option, optionsOf } from "../command-line/options.ts";
import { unknownOptions } from "../command-line/unknown-option.ts";
import { newestLine } from "../conf/spark-version.ts";
import { throwIssues } from "../errors/submit-error.ts";
import { type Flags, parseOptions } from "./parse-options.ts";

/** The words of a command of ours that takes options of spark-submit, too. */
export interface InterleavedArgs<F extends string, V extends string> {
  readonly own: Flags<F, V>;
  /** What is no option, nor the value of one. */
  readonly plain: readonly string[];
  /** For spark-submit's grammar. */
  readonly rest: readonly string[];
}

/** Of spark-submit, by name. */
const options: ReadonlyMap<string, Option> = new Map(
  optionsOf(newestLine).flatMap((option) =>
    [option.flag, option.alias ?? option.flag].map((name) => [name, option] as const),
  ),
);

/**
 * Sorts words of which each may stand anywhere. What follows an unknown option may be its value, and is not judged.
 *
 * @throws SubmitError as `parseOptions`, and for unknown options
 */
export function parseInterleavedArgs<F extends string, V extends string>(
  args: readonly string[],
  known: { readonly flags: readonly F[]; readonly values: readonly V[] },
): InterleavedArgs<F, V> {
  const flags: readonly string[] = known.flags;
  const values: readonly string[] = known.values;
  const own: string[] = [];
  const plain: string[] = [];
  const rest: string[] = [];
  const unknown: string[] = [];
  const left = [...args];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [name = ""] = word.split("=");
    if (flags.includes(word)) own.push(word);
    else if (values.includes(name)) own.push(word, ...(word === name ? left.splice(0, 1) : []));
    else if (!word.startsWith("-")) plain.push(word);
    else {
      const option = options.get(name);
      if (option === undefined) unknown.push(word);
      else rest.push(word, ...("switches" in option || word !== name ? [] : left.splice(0, 1)));
    }
  }
  throwIssues(unknownOptions(unknown, [...flags, ...values, ...options.keys()]));
  return { own: parseOptions(own, { ...known, maxPositionals: 0 }), plain, rest };
}
