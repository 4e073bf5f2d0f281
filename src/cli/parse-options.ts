import { unknownOption } from "../command-line/unknown-option.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { throwIssues } from "../errors/submit-error.ts";

/** Whether one of our own commands is asked what it can do. */
export function isHelpRequest(args: readonly string[]): boolean {
  return args.includes("--help") || args.includes("-h");
}

/** The words of one of our own small commands, sorted. */
export interface Flags<F extends string, V extends string> {
  readonly has: (flag: F) => boolean;
  /** The last value given. */
  readonly value: (name: V) => string | undefined;
  /** All that were given. */
  readonly values: (name: V) => readonly string[];
  readonly words: readonly string[];
}

/**
 * Sorts the words of a command that has options `--flag` and `--name value` (or `--name=value`), and plain words.
 *
 * @throws SubmitError `SUBMIT_ERR_ARG_UNKNOWN`, `SUBMIT_ERR_ARG_VALUE_MISSING`: all of them at once.
 */
export function parseOptions<F extends string, V extends string>(
  args: readonly string[],
  known: { readonly flags: readonly F[]; readonly values: readonly V[]; readonly maxPositionals: number },
): Flags<F, V> {
  const given = new Set<string>();
  const values = new Map<string, readonly string[]>();
  const words: string[] = [];
  const issues: Issue[] = [];
  const left = [...args];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [name = "", inline] = word.split(/=(.*)/s);
    if (known.flags.some((flag) => flag === word)) given.add(word);
    else if (known.values.some((candidate) => candidate === name)) {
      const value = inline ?? left.shift();
      if (value === undefined) issues.push(issue("SUBMIT_ERR_ARG_VALUE_MISSING", { option: name }));
      else values.set(name, [...(values.get(name) ?? []), value]);
    } else if (word.startsWith("-") || words.length === known.maxPositionals) {
      issues.push(unknownOption(word, [...known.flags, ...known.values]));
    } else words.push(word);
  }
  throwIssues(issues);
  return {
    has: (flag) => given.has(flag),
    value: (name) => values.get(name)?.at(-1),
    values: (name) => values.get(name) ?? [],
    words,
  };
}
