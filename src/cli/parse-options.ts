import { parseArgs } from "node:util";
import { unknownOption } from "../command-line/unknown-option.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { throwIssues } from "../errors/submit-error.ts";
import { type ParsedOptions, parsedOptions } from "./parsed-options.ts";

/** Options of a command, as the user writes them: `--json`, `-o`. */
interface OptionNames<F extends string, V extends string> {
  /** Options without a value. */
  readonly flags: readonly F[];
  /** Options with a value; each can be repeated. */
  readonly values: readonly V[];
}

/**
 * Parses the arguments of one of Firesteel's own commands: `--flag`, `--name value`, `--name=value` and positionals.
 *
 * @throws SubmitError `SUBMIT_ERR_ARG_UNKNOWN`, `SUBMIT_ERR_ARG_VALUE_MISSING`: all problems together
 */
export function parseOptions<F extends string, V extends string>(
  args: readonly string[],
  known: OptionNames<F, V> & { readonly maxPositionals: number },
): ParsedOptions<F, V> {
  // Not strict: `parseArgs` would throw at the first problem.
  const { tokens } = parseArgs({
    ...{ args: [...args], options: optionTypes(known), strict: false, allowPositionals: true, tokens: true },
  });
  const flags: readonly string[] = known.flags;
  const values: readonly string[] = known.values;
  const names = [...flags, ...values];
  const found = new Set<string>();
  const texts = new Map<string, readonly string[]>();
  const positionals: string[] = [];
  // By argument: a group of short options has several tokens, but is one unknown argument.
  const issues = new Map<number, Issue>();
  for (const token of tokens) {
    const reject = () => issues.set(token.index, unknownOption(args[token.index] ?? "", names));
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") {
      if (positionals.length < known.maxPositionals) positionals.push(token.value);
      // After an unknown option, it can be the value of that option.
      else if (!(issues.has(token.index - 1) && args[token.index - 1]?.startsWith("-") === true)) reject();
      continue;
    }
    const { rawName, index } = token;
    // `-o=json`, as kubectl accepts it: for `parseArgs` the equals sign belongs to the value.
    const value = rawName.startsWith("--") ? token.value : token.value?.replace(/^=/, "");
    if (values.includes(rawName)) {
      if (value === undefined) issues.set(index, issue("SUBMIT_ERR_ARG_VALUE_MISSING", { option: rawName }));
      else texts.set(rawName, [...(texts.get(rawName) ?? []), value]);
    } else if (flags.includes(rawName) && value === undefined) found.add(rawName);
    else reject();
  }
  throwIssues([...issues.values()]);
  return parsedOptions({ flags: found, values: texts, positionals });
}

/** Builds the option types for `parseArgs`, which takes names without hyphens. */
function optionTypes({ flags, values }: OptionNames<string, string>) {
  const typed = (names: readonly string[], type: "boolean" | "string") =>
    names.map((name) => {
      const bare = name.replace(/^-+/, "");
      return [bare, { type, ...(bare.length === 1 ? { short: bare } : {}) }] as const;
    });
  return Object.fromEntries([...typed(flags, "boolean"), ...typed(values, "string")]);
}
