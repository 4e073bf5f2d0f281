import { optionsOf } from "../command-line/options.ts";
import { newestLine } from "../conf/spark-version.ts";
import { type Flags, parseFlags } from "./flags.ts";

/** The words of a command of ours that takes options of spark-submit, too. */
export interface MixedWords<F extends string, V extends string> {
  readonly own: Flags<F, V>;
  /** What is no option, nor the value of one. */
  readonly plain: readonly string[];
  /** For spark-submit's grammar. */
  readonly rest: readonly string[];
}

const takesValue: ReadonlySet<string> = new Set(
  optionsOf(newestLine).flatMap((option) =>
    "switches" in option ? [] : [option.flag, option.alias ?? option.flag],
  ),
);

/**
 * Sorts words of which each may stand anywhere.
 *
 * @throws SubmitError as `parseFlags`
 */
export function takeMixedWords<F extends string, V extends string>(
  args: readonly string[],
  known: { readonly flags: readonly F[]; readonly values: readonly V[] },
): MixedWords<F, V> {
  const flags: readonly string[] = known.flags;
  const values: readonly string[] = known.values;
  const own: string[] = [];
  const plain: string[] = [];
  const rest: string[] = [];
  const left = [...args];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [name = ""] = word.split("=");
    if (flags.includes(word)) own.push(word);
    else if (values.includes(name)) own.push(word, ...(word === name ? left.splice(0, 1) : []));
    else if (takesValue.has(word)) rest.push(word, ...left.splice(0, 1));
    else if (word.startsWith("-")) rest.push(word);
    else plain.push(word);
  }
  return { own: parseFlags(own, { ...known, maxWords: 0 }), plain, rest };
}
