/** Blocks of the output of `--verbose`. */
export interface VerboseBlocks {
  /** Properties files, as named when they are read. */
  read?: string[];
  defaults?: Record<string, string>;
  arguments?: Record<string, string>;
  properties?: Record<string, string>;
  mainClass?: string;
  childArguments?: string[];
  config?: Record<string, string>;
  classPath?: string[];
}

const logLine = /^\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d [A-Z]+ /;

/** Parses the blocks in an output. */
export function verboseBlocks(output: string): VerboseBlocks {
  const lines = output.split("\n").filter((line) => !logLine.test(line));
  const blocks: VerboseBlocks = {};
  const read = lines.flatMap((line) => /^Using properties file: (.*)$/.exec(line)?.[1] ?? []);
  if (read.length > 0) blocks.read = read;
  const defaults = lines.flatMap((line) => /^Adding default property: (.*)$/.exec(line)?.[1] ?? []);
  if (defaults.length > 0) blocks.defaults = Object.fromEntries(defaults.map((line) => cut(line, "=")));

  const parsed = between(lines, /^Parsed arguments:$/, /^$/);
  if (parsed !== undefined) {
    blocks.arguments = Object.fromEntries(
      joined(parsed, /^ {2}\w/).map((line) => {
        const [, label = "", value = ""] = /^ {2}(\w+) *([\s\S]*)$/.exec(line) ?? [];
        return [label, value];
      }),
    );
  }
  const properties = between(lines, /^Spark properties used, including/, /^ {4}$/);
  if (properties !== undefined) blocks.properties = pairs(properties.map((line) => line.replace(/^ {2}(?=\()/, "")));
  const prepared = between(lines, /^Main class:$/, /^Classpath elements:$/);
  if (prepared !== undefined) {
    blocks.mainClass = prepared[0] ?? "";
    blocks.childArguments = between(prepared, /^Arguments:$/, /^Spark config:$/) ?? [];
    blocks.config = pairs(between(prepared, /^Spark config:$/, /^\0$/) ?? []);
    blocks.classPath = between(lines, /^Classpath elements:$/, /^$/) ?? [];
  }
  return blocks;
}

/** Usage text: its heads, and the option names by group in order. */
export interface Usage {
  readonly heads: readonly string[];
  readonly groups: Readonly<Record<string, readonly string[]>>;
}

/** Parses the usage text, if the output contains one. */
export function usageOf(output: string): Usage | undefined {
  const lines = output.split("\n");
  const heads = lines.filter((line) => line.startsWith("Usage: "));
  if (heads.length === 0) return undefined;
  const groups: Record<string, string[]> = {};
  let group = "";
  for (const line of lines) {
    const option = /^ {1,4}(-[-\w]+(?:, -[-\w]+)*)/.exec(line)?.[1];
    group = /^ ([A-Z][\w, ]+):$/.exec(line)?.[1] ?? group;
    if (option !== undefined) groups[group] = [...(groups[group] ?? []), ...option.split(", ")];
  }
  return { heads, groups };
}

/** Returns the lines between the first line of a block and the line that ends it. */
function between(lines: readonly string[], start: RegExp, end: RegExp): string[] | undefined {
  const startIndex = lines.findIndex((line) => start.test(line));
  if (startIndex < 0) return undefined;
  const rest = lines.slice(startIndex + 1);
  const length = rest.findIndex((line) => end.test(line));
  return rest.slice(0, length < 0 ? rest.length : length);
}

/** Appends lines that do not start an entry to the previous entry. */
function joined(lines: readonly string[], start: RegExp): string[] {
  const entries: string[] = [];
  for (const line of lines) {
    const last = entries.pop();
    if (last === undefined) entries.push(line);
    else if (start.test(line)) entries.push(last, line);
    else entries.push(`${last}\n${line}`);
  }
  return entries;
}

/** Parses entries `(key,value)`. */
function pairs(lines: readonly string[]): Record<string, string> {
  const entries = joined(lines, /^\(/).filter((line) => line.startsWith("("));
  return Object.fromEntries(entries.map((entry) => cut(entry.replace(/\n+$/, "").replace(/^\(|\)$/g, ""), ",")));
}

function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}
