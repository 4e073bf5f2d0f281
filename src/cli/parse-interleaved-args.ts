import { type Option, optionsOf } from "../command-line/options.ts";
import { unknownOption } from "../command-line/unknown-option.ts";
import { newestLine } from "../conf/spark-version.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { throwIssues } from "../errors/submit-error.ts";
import { type ParsedOptions, parsedOptions } from "./parsed-options.ts";

/** Arguments of a command that accepts its own options and those of spark-submit. */
interface InterleavedArgs<F extends string, V extends string> {
  readonly own: ParsedOptions<F, V>;
  /** Arguments that are neither options nor values of options. */
  readonly positionals: readonly string[];
  /** Options of spark-submit with their values, for its parser. */
  readonly rest: readonly string[];
}

/** Options of spark-submit, by flag and alias. */
const sparkOptions: ReadonlyMap<string, Option> = new Map(
  optionsOf(newestLine).flatMap((option) =>
    [option.flag, option.alias ?? option.flag].map((name) => [name, option] as const),
  ),
);

/**
 * Separates a command's own options, spark-submit's options and positionals, which can come in any order.
 *
 * Does not use `parseArgs` of `node:util`, which `firesteel status` and `kill` must not load.
 *
 * @throws SubmitError `SUBMIT_ERR_ARG_UNKNOWN`, `SUBMIT_ERR_ARG_VALUE_MISSING`: all problems together. An argument after an unknown
 * option can be its value, so it is not checked.
 */
export function parseInterleavedArgs<F extends string, V extends string>(
  args: readonly string[],
  known: { readonly flags: readonly F[]; readonly values: readonly V[] },
): InterleavedArgs<F, V> {
  const flags: readonly string[] = known.flags;
  const values: readonly string[] = known.values;
  const own = { flags: new Set<string>(), values: new Map<string, readonly string[]>(), positionals: [] };
  const positionals: string[] = [];
  const rest: string[] = [];
  const issues: Issue[] = [];
  const names = [...flags, ...values, ...sparkOptions.keys()];
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    const [name = "", inline] = arg.split(/=(.*)/s);
    if (flags.includes(arg)) own.flags.add(arg);
    else if (values.includes(name)) {
      const value = inline ?? left.shift();
      if (value === undefined) issues.push(issue("SUBMIT_ERR_ARG_VALUE_MISSING", { option: name }));
      else own.values.set(name, [...(own.values.get(name) ?? []), value]);
    } else if (!arg.startsWith("-")) positionals.push(arg);
    else {
      const option = sparkOptions.get(name);
      if (option === undefined) issues.push(unknownOption(arg, names));
      else rest.push(arg, ...("switches" in option || arg !== name ? [] : left.splice(0, 1)));
    }
  }
  throwIssues(issues);
  return { own: parsedOptions(own), positionals, rest };
}
