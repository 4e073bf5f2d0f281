/** Prints a Markdown table; escapes cells. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(" | ")} |`;
  return [line(head), `| ${head.map(() => "---").join(" | ")} |`, ...rows.map(line)].join("\n");
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replace(/\s*\n\s*/g, "<br>");
}

/** Prints the note at the top of every generated page. */
export function generatedNote(source: string): string {
  return `<!-- Made from ${source} by \`npm run update:docs\`. Do not edit. -->`;
}

/** Prints inline code in Markdown. */
export function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}
