/** Trims all characters up to U+0020, as `String.trim` of Java does. */
export function javaTrim(text: string): string {
  return trimWhere(text, (code) => code <= 0x20);
}

/** Trims all characters up to U+0020 except line feeds and carriage returns, as Spark trims the values of properties files. */
export function trimExceptLineEnds(text: string): string {
  return trimWhere(text, (code) => code <= 0x20 && code !== 0x0a && code !== 0x0d);
}

function trimWhere(text: string, isCut: (code: number) => boolean): string {
  let start = 0;
  let end = text.length;
  while (start < end && isCut(text.charCodeAt(start))) start++;
  while (end > start && isCut(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
