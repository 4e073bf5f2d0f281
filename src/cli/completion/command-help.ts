/** Help of a command, from its usage text. */
export interface CommandHelp {
  /** Lines after `Usage:`, e.g. `firesteel ps [options]`. */
  readonly synopsis: readonly string[];
  /** Blocks of the text, in order. */
  readonly blocks: readonly HelpBlock[];
}

/** A paragraph, or rows below an optional title. */
export type HelpBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "rows"; readonly title: string | undefined; readonly rows: readonly HelpRow[] };

/** A row of a list: `--name NAME`, its description, and further lines. */
export interface HelpRow {
  readonly head: string;
  readonly text: string;
}

const rowIndent = /^ {2}\S/;
const wideRow = /^ {2}(.*?) {2,}(.*)$/;
/** A long option, whose placeholder is one space before the description. */
const narrowRow = /^ {2}(-\S+(?:, -\S+)* [A-Z][^\s,]*) (.+)$/;

/**
 * Parses a usage text: `Usage:` lines, paragraphs, and lists whose rows are indented by two spaces. Descriptions are behind two spaces or
 * in lines with a larger indentation.
 */
export function parseUsage(usage: string): CommandHelp {
  const [head = "", ...blocks] = usage.trimEnd().split(/\n\s*\n/);
  const synopsis = head.split("\n").map((line) => line.replace(/^(?:Usage:)?\s*/, ""));
  return { synopsis, blocks: blocks.flatMap(parseBlock) };
}

function parseBlock(block: string): readonly HelpBlock[] {
  const lines = block.split("\n");
  const first = lines.findIndex((line) => rowIndent.test(line));
  if (first < 0) return [{ kind: "text", text: joined(lines) }];
  const before = lines.slice(0, first);
  const title = before.at(-1)?.endsWith(":") === true ? joined(before) : undefined;
  const paragraph = title === undefined && before.length > 0 ? [{ kind: "text", text: joined(before) } as const] : [];
  const last = lines.findLastIndex((line) => line.startsWith(" "));
  const after = lines.slice(last + 1);
  return [
    ...paragraph,
    { kind: "rows", title, rows: parseRows(lines.slice(first, last + 1)) },
    ...(after.length === 0 ? [] : [{ kind: "text", text: joined(after) } as const]),
  ];
}

function parseRows(lines: readonly string[]): readonly HelpRow[] {
  const rows: { head: string; texts: string[] }[] = [];
  for (const line of lines) {
    if (rowIndent.test(line)) {
      const [, head = "", text] = wideRow.exec(line) ?? narrowRow.exec(line) ?? [line, line.trim()];
      rows.push({ head, texts: text === undefined ? [] : [text] });
    } else rows.at(-1)?.texts.push(line.trim());
  }
  return rows.map(({ head, texts }) => ({ head, text: texts.join(" ") }));
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => line.trim()).join(" ");
}

/** An option as a row names it. */
export interface HelpOption {
  readonly names: readonly string[];
  /** Placeholder of its value, e.g. `FILE`; `undefined` for an option without one. */
  readonly value: string | undefined;
  readonly text: string;
}

/** Returns the options of a help. A row can describe several: `-n, --namespace NAME`, `--a SIZE, --b SIZE`. */
export function optionsOf({ blocks }: CommandHelp): readonly HelpOption[] {
  return rowsOf(blocks).flatMap(({ head, text }) => {
    if (!head.startsWith("-") || isSparkRow(head)) return [];
    const options: { names: string[]; value: string | undefined; text: string }[] = [];
    let names: string[] = [];
    const parts = head.split(/, (?=-)/).map((part) => part.split(" "));
    for (const [index, [name = "", value]] of parts.entries()) {
      names.push(name);
      // `-f, --follow` are two names of one option; `--a SIZE, --b SIZE` are two options.
      const isAlias = [name, parts[index + 1]?.[0]].some((one) => one?.length === 2);
      if (value === undefined && isAlias && index + 1 < parts.length) continue;
      options.push({ names, value, text });
      names = [];
    }
    return options;
  });
}

/** Returns the names of the subcommands with their summaries; none for a command without subcommands. */
export function subcommandsOf({ synopsis, blocks }: CommandHelp): readonly HelpRow[] {
  if (synopsis[0]?.includes("<command>") !== true) return [];
  return rowsOf(blocks)
    .filter(({ head }) => /^[a-z][a-z-]*$/.test(head))
    .map(({ head, text }) => ({ head, text }));
}

/** Returns whether the command accepts the options of spark-submit, too. */
export function acceptsSparkOptions({ synopsis, blocks }: CommandHelp): boolean {
  return (
    synopsis.some((line) => line.includes("<spark-submit arguments>")) ||
    rowsOf(blocks).some(({ head }) => isSparkRow(head))
  );
}

function isSparkRow(head: string): boolean {
  return /^--conf(?:, --properties-file)? and similar options /.test(head);
}

function rowsOf(blocks: CommandHelp["blocks"]): readonly HelpRow[] {
  return blocks.flatMap((block) => (block.kind === "rows" ? block.rows : []));
}

/** Returns the values that a description lists: `auto, none or server` at its start or after a colon, or `none: …; server: …`. */
export function choicesIn(text: string): readonly string[] {
  const plain = text.replaceAll(/\s*\([^)]*\)/g, "");
  const defined = plain.split("; ").flatMap((part) => /^([a-z]+)(?::|$)/.exec(part)?.[1] ?? []);
  if (defined.length > 1) return defined;
  const [, list = ""] =
    /(?:^|: )((?:[a-z\d]+, )*[a-z\d]+,? or [a-z\d]+|[a-z\d]+(?:, [a-z\d]+)+)(?=[ ;,.]|$)/.exec(plain) ?? [];
  return list.split(/,? or |, /).filter((choice) => choice !== "");
}
