import type { CommandHelp, HelpBlock } from "../../../src/cli/completion/command-help.ts";

/** Content of a manual page. */
export interface ManPage {
  /** Name of the page, e.g. `firesteel-ps`. */
  readonly name: string;
  readonly summary: string;
  readonly help: CommandHelp;
  /** Commands with sections of their own, e.g. `firesteel cluster start`. */
  readonly commands: readonly { readonly title: string; readonly help: CommandHelp }[];
  /** Names of related pages. */
  readonly related: readonly string[];
}

/** Prints a manual page of section 1 in the roff format, with the macros of man(7). */
export function printManPage({ name, summary, help, commands, related }: ManPage, version: string): string {
  const lines = [
    `.TH ${quoted(name.toUpperCase())} 1 "" ${quoted(`Firesteel ${version}`)} "User Commands"`,
    ".SH NAME",
    `${escaped(name)} \\- ${escaped(summary)}`,
    ".SH SYNOPSIS",
    ...synopsis(help),
    ...(isTitled(help.blocks[0]) ? [] : [".SH DESCRIPTION"]),
    ...blocks(help.blocks, ".SH"),
    ...commands.flatMap((command) => [
      `.SH ${quoted(command.title.toUpperCase())}`,
      ...synopsis(command.help),
      ...blocks(command.help.blocks, ".SS"),
    ]),
    ...(related.length === 0 ? [] : [".SH SEE ALSO", related.map((page) => `\\fB${escaped(page)}\\fR(1)`).join(", ")]),
  ];
  return `${lines.join("\n")}\n`;
}

function isTitled(block: HelpBlock | undefined): boolean {
  return block === undefined || (block.kind === "rows" && block.title !== undefined);
}

function synopsis({ synopsis: forms }: CommandHelp): readonly string[] {
  return forms.flatMap((form, index) => [...(index === 0 ? [] : [".br"]), text(form)]);
}

/** @param heading macro of the titles of lists */
function blocks(parts: readonly HelpBlock[], heading: string): readonly string[] {
  return parts.flatMap((part) => {
    if (part.kind === "text") return [".PP", text(part.text)];
    const title = part.title === undefined ? [] : [`${heading} ${quoted(part.title.replace(/:$/, ""))}`];
    return [...title, ...part.rows.flatMap((row) => [".TP", `\\fB${escaped(row.head)}\\fR`, text(row.text)])];
  });
}

/** Prints a line of text. A dot or an apostrophe at its start would be a request of roff. */
function text(line: string): string {
  return line === "" ? "\\&" : `\\&${escaped(line)}`.replace(/^\\&(?=[^.'])/, "");
}

function quoted(title: string): string {
  return `"${escaped(title).replaceAll('"', '""')}"`;
}

function escaped(line: string): string {
  return line.replaceAll("\\", "\\e").replaceAll("-", "\\-");
}
