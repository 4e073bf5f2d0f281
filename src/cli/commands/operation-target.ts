import { optionsOf } from "../../command-line/options.ts";
import { context } from "../../conf/entries/submission.ts";
import { newestLine } from "../../conf/spark-version.ts";
import { issue } from "../../errors/issue.ts";
import { throwIssues } from "../../errors/submit-error.ts";

/** Which driver somebody means, and where: words of ours, put into those of spark-submit. */
export interface Target {
  readonly id: string | undefined;
  /** For spark-submit's grammar. */
  readonly rest: readonly string[];
}

const takesValue: ReadonlySet<string> = new Set(
  optionsOf(newestLine).flatMap((option) =>
    "switches" in option ? [] : [option.flag, option.alias ?? option.flag],
  ),
);

/**
 * Takes the id, wherever it stands, and our own options from the words of a command.
 *
 * @param ownSettings further options of the command with the keys of the settings that they are
 * @throws SUBMIT_ERR_ARG_UNKNOWN
 */
export function takeTarget(args: readonly string[], ownSettings: ReadonlyMap<string, string>): Target {
  const settingOf = new Map([...ownSettings, ["--context", context.key]]);
  const rest: string[] = [];
  const ids: string[] = [];
  let namespace: string | undefined;
  const left = [...args];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [name = "", glued] = word.split(/=(.*)/s);
    const setting = settingOf.get(name);
    if (name === "--namespace" || name === "-n") namespace = glued ?? left.shift();
    else if (setting !== undefined) rest.push("--conf", `${setting}=${glued ?? left.shift() ?? ""}`);
    else if (takesValue.has(word)) rest.push(word, ...left.splice(0, 1));
    else if (word.startsWith("-")) rest.push(word);
    else ids.push(word);
  }
  const [id, ...others] = ids;
  throwIssues(others.map((option) => issue("SUBMIT_ERR_ARG_UNKNOWN", { option })));
  return { id: inNamespace(id, namespace), rest };
}

/** An id that names its namespace keeps it. */
function inNamespace(id: string | undefined, namespace: string | undefined): string | undefined {
  if (namespace === undefined || id?.includes(":") === true) return id;
  return `${namespace}:${id ?? "*"}`;
}
