import type {
  ArgumentKind,
  CompletedCommand,
  CompletedOption,
  Completion,
  CompletionData,
  Suggestion,
} from "./completion-data.ts";

/** A command line up to the cursor. */
interface PartialCommandLine {
  /** Program without its directory, e.g. `spark-submit`. */
  readonly program: string;
  /** Arguments before the cursor; the last one, which can be empty, is completed. */
  readonly args: readonly string[];
}

const nothing: Completion = { kind: "list", suggestions: [], isComplete: true };

/** Completes the last argument of a command line of `firesteel`, or of one of Spark's programs. */
export function complete(data: CompletionData, { program, args }: PartialCommandLine): Completion {
  const before = args.slice(0, -1);
  const current = args.at(-1) ?? "";
  if (program !== "firesteel") return completeArgument(sparkProgram(data), { before, current, data });
  const path = pathOf(data, before[0] === "help" ? before.slice(1) : before);
  const command = data.commands[path.name];
  if (command === undefined) return nothing;
  if (before[0] === "help") return listOf(command.subcommands, current);
  const submit = path.name === "submit" ? sparkProgram(data) : command;
  return completeArgument(submit, { before: before.slice(path.length), current, data });
}

/** Returns the longest path of a command at the start of the arguments. */
function pathOf({ commands }: CompletionData, args: readonly string[]): { name: string; length: number } {
  let length = 0;
  while (length < args.length && Object.hasOwn(commands, args.slice(0, length + 1).join(" "))) length += 1;
  return { name: args.slice(0, length).join(" "), length };
}

function sparkProgram({ sparkOptions }: CompletionData): CompletedCommand {
  return { subcommands: [], options: sparkOptions, acceptsSparkOptions: false, argument: "file" };
}

interface Position {
  readonly before: readonly string[];
  readonly current: string;
  readonly data: CompletionData;
}

function completeArgument(command: CompletedCommand, position: Position): Completion {
  const { before, current, data } = position;
  const own = new Set(command.options.flatMap(({ names }) => names));
  const spark = command.acceptsSparkOptions ? data.sparkOptions : [];
  const options = [...command.options, ...spark.filter(({ names }) => !names.some((name) => own.has(name)))];
  const find = (name: string) => options.find(({ names }) => names.includes(name));
  const pending = pendingOption(before, find);
  if (pending !== undefined) return completeValue(pending, "", position);
  const [name = "", inline] = current.split(/=(.*)/s);
  const option = find(name);
  if (inline !== undefined && option?.value !== undefined)
    return completeValue(option, `${name}=`, { ...position, current: inline });
  if (current.startsWith("-")) {
    const named = options.flatMap(({ names, text }) => names.map((each) => ({ text: each, description: text })));
    return listOf([...named, { text: "--help", description: "help" }], current);
  }
  if (command.subcommands.length > 0)
    return before.every((arg) => arg.startsWith("-")) ? listOf(command.subcommands, current) : nothing;
  return completeKind(command, "", position);
}

/** Returns the option whose value the next argument is. */
function pendingOption(
  before: readonly string[],
  find: (name: string) => CompletedOption | undefined,
): CompletedOption | undefined {
  let pending: CompletedOption | undefined;
  for (const arg of before) {
    const option = pending === undefined ? find(arg) : undefined;
    pending = option?.value === undefined ? undefined : option;
  }
  return pending;
}

function completeValue({ value = "none", choices }: CompletedOption, prefix: string, position: Position): Completion {
  return completeKind({ argument: value, choices }, prefix, position);
}

/** @param prefix part of the argument before the value, e.g. `--conf=` */
function completeKind(
  { argument, choices = [] }: { readonly argument: ArgumentKind; readonly choices?: readonly string[] | undefined },
  prefix: string,
  { before, current, data }: Position,
): Completion {
  switch (argument) {
    case "none":
      return nothing;
    case "choice":
      return listOf(plain(choices), current, prefix);
    case "master":
      return { kind: "master", suggestions: listOf(plain(choices), current, prefix).suggestions, prefix };
    case "setting":
      return completeSetting(data, current, prefix);
    case "driver":
      return { kind: "driver", clusterOptions: clusterOptionsOf(before) };
    case "file":
    case "directory":
      return { kind: argument };
  }
}

function completeSetting({ settings }: CompletionData, current: string, prefix: string): Completion {
  const [key = "", value] = current.split(/=(.*)/s);
  if (value !== undefined) {
    const values = settings.find(([known]) => known === key)?.[1] ?? [];
    return listOf(plain(values), value, `${prefix}${key}=`);
  }
  const keys = settings.map(([known]) => (known.endsWith(".") ? known : `${known}=`));
  return { ...listOf(plain(keys), current, prefix), isComplete: false };
}

function plain(texts: readonly string[]): readonly Suggestion[] {
  return texts.map((text) => ({ text, description: "" }));
}

function listOf(suggestions: readonly Suggestion[], current: string, prefix = "") {
  const fitting = suggestions.filter(({ text }) => text.startsWith(current));
  const completed = fitting.map(({ text, description }) => ({ text: `${prefix}${text}`, description }));
  return { kind: "list", suggestions: completed, isComplete: true } as const;
}

const clusterOptions = new Set(["--master", "--namespace", "-n", "--context", "--conf", "-c", "--properties-file"]);

/** Returns the arguments that select the cluster and the namespace. */
function clusterOptionsOf(before: readonly string[]): readonly string[] {
  return before.flatMap((arg, index) => {
    const [name = "", inline] = arg.split(/=(.*)/s);
    if (!clusterOptions.has(name)) return [];
    const value = inline ?? before[index + 1];
    return value === undefined ? [] : [`${name}=${value}`];
  });
}
