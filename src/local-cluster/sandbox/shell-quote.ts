/** A word of a shell's command line that stands for a text, whatever is in it. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
