/** A Markdown table; cells are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(" | ")} |`;
  return [line(head), `| ${head.map(() => "---").join(" | ")} |`, ...rows.map(line)].join("\n");
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replace(/\s*\n\s*/g, "<br>");
}

/** The note that every generated page begins with. */
export function generatedNote(source: string): string {
  return `<!-- Made from ${source} by \`npm run update:docs\`. Do not edit. -->`;
}

/** Code in a line of Markdown. */
export function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}
