/** Quotes a text for a shell, if it needs quotes. */
export function quoteForShell(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
