/** Returns a text of another program with a period at its end, unless it ends with a punctuation mark. */
export function asSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
