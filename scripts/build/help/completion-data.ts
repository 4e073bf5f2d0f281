import {
  acceptsSparkOptions,
  type CommandHelp,
  choicesIn,
  type HelpOption,
  optionsOf,
  subcommandsOf,
} from "../../../src/cli/completion/command-help.ts";
import type {
  ArgumentKind,
  CompletedCommand,
  CompletedOption,
  CompletionData,
} from "../../../src/cli/completion/completion-data.ts";
import { optionHelp } from "../../../src/command-line/option-help.ts";
import { optionsOf as sparkOptionsOf } from "../../../src/command-line/options.ts";
import { declaredEntries, isEntry } from "../../../src/conf/entries/topics.ts";
import type { ConfEntry } from "../../../src/conf/entry.ts";
import { knownKeys } from "../../../src/conf/known-settings.ts";
import { newestLine, sparkLines, traitsOf } from "../../../src/conf/spark-version.ts";
import type { CollectedHelp } from "./collect-help.ts";

/** Builds the data of the completion from the help of the commands, the options of spark-submit and the settings. */
export function completionData(collected: readonly CollectedHelp[]): CompletionData {
  return {
    commands: Object.fromEntries(collected.map(({ path, help }) => [path, completedCommand(path, help)])),
    sparkOptions: sparkOptionsOf(newestLine)
      .filter(({ hidden }) => hidden !== true)
      .map((option) =>
        completedOption({
          names: [option.flag, ...(option.alias === undefined ? [] : [option.alias])],
          value: "value" in option ? option.value : undefined,
          text: optionHelp[option.flag] ?? "",
        }),
      ),
    settings: settings(),
  };
}

function completedCommand(path: string, help: CommandHelp): CompletedCommand {
  const isProgram = path === "";
  const subcommands = subcommandsOf(help).map(({ head, text }) => ({ text: head, description: text }));
  const helpCommand = { text: "help", description: "print the help of a command" };
  return {
    subcommands: isProgram ? [...subcommands, helpCommand] : subcommands,
    options: path === "submit" ? [] : optionsOf(help).map(completedOption),
    acceptsSparkOptions: acceptsSparkOptions(help),
    ...argumentOf(help),
  };
}

function completedOption({ names, value, text }: HelpOption): CompletedOption {
  if (value === undefined) return { names, text };
  if (/^[a-z]+$/.test(value)) return { names, text, value: "choice", choices: [value] };
  const fixed = names.includes("--master") ? mastersOf(value, text) : fixedChoices[value];
  const choices = fixed ?? (hasChoices.test(value) ? choicesIn(text) : []);
  const listed = choices.includes(embedded) ? "master" : "choice";
  const kind = kinds.find(([pattern]) => pattern.test(value))?.[1] ?? (choices.length > 0 ? listed : "none");
  return { names, text, value: kind, ...(choices.length > 0 && { choices }) };
}

const embedded = "k8s://embedded";
const masters = ["k8s://https://", embedded, "spark://", "yarn", "local", "local[*]"];

/** Values of placeholders that descriptions do not list. */
const fixedChoices: Readonly<Record<string, readonly string[]>> = {
  DEPLOY_MODE: ["client", "cluster"],
  VERSION: sparkLines,
};

/** Returns the masters that a command accepts: all for spark-submit, else those that the description names. */
function mastersOf(value: string, text: string): readonly string[] {
  return value === "MASTER_URL" ? masters : masters.filter((master) => text.includes(master));
}

/** Placeholders whose descriptions list the values. */
const hasChoices = /^(?:MODE|FORMAT|ENGINE|STATE|VERB)\b/;

const kinds: readonly (readonly [placeholder: RegExp, kind: ArgumentKind])[] = [
  [/^(?:FILE|FILES|JARS|PY_FILES|ARCHIVES|KEYTAB|FORMAT:FILE|PATHS)$/, "file"],
  [/^DIR\b/, "directory"],
  [/^SUBMISSION_ID$/, "driver"],
  [/^PROP=VALUE$|^KEY=VALUE$/, "setting"],
];

/** Finds the kind of a command's argument in its synopsis: `ID`, `FILE`, or choices such as `[pi|java]`. */
function argumentOf({ synopsis }: CommandHelp): Pick<CompletedCommand, "argument" | "choices"> {
  const parts = synopsis.flatMap((line) => line.split(" ")).map((part) => part.replace(/^\[(.*)\]$/, "$1"));
  if (parts.includes("ID") && !parts.includes("remove")) return { argument: "driver" };
  if (parts.some((part) => part === "FILE" || part === "arguments>")) return { argument: "file" };
  const choices = parts.find((part) => /^[a-z]+(?:\|[a-z]+)+$/.test(part))?.split("|");
  return choices === undefined ? { argument: "none" } : { argument: "choice", choices };
}

function settings(): CompletionData["settings"] {
  const values = new Map(
    declaredEntries().flatMap((entry) => (isEntry(entry) ? [[entry.key, allowedValues(entry)] as const] : [])),
  );
  return [...knownKeys().keys()].sort().map((key) => {
    const allowed = values.get(key);
    return allowed === undefined ? [key] : [key, allowed];
  });
}

/** Returns the values that the parser of a setting allows, if these are only some texts. */
function allowedValues(entry: ConfEntry<unknown>): readonly string[] | undefined {
  const read = (text: string) => entry.parse(text, { key: entry.key, traits: traitsOf(newestLine) });
  const rejected = read("?");
  if (rejected.ok) return undefined;
  const [, choices] = / to one of: (.*)\.$/.exec(rejected.issues[0]?.hint ?? "") ?? [];
  if (choices !== undefined) return choices.split(", ");
  return read("true").ok && read("false").ok && !read("x").ok ? ["true", "false"] : undefined;
}
