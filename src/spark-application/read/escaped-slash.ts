/** Start of a block scalar, whose following lines with a larger indentation are its text. */
const blockStart = /(?:^|[:\-?]\s+|\s)[|>][+-]?\d?[+-]?\s*(?:#.*)?$/;

/** Returns the number of the first line with `\/` in double quotes, which JSON allows and YAML 1.1 does not. */
export function escapedSlashLine(text: string): number | undefined {
  if (!text.includes("\\/")) return undefined;
  let quote: string | undefined;
  let blockIndent: number | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const indent = line.length - line.trimStart().length;
    if (blockIndent !== undefined && (line.trim() === "" || indent > blockIndent)) continue;
    blockIndent = undefined;
    const scanned = scanLine(line, quote);
    if (scanned.hasEscapedSlash) return index + 1;
    quote = scanned.quote;
    if (quote === undefined && blockStart.test(line)) blockIndent = indent;
  }
  return undefined;
}

interface ScannedLine {
  /** The quote that is still open at the end of the line. */
  readonly quote: string | undefined;
  readonly hasEscapedSlash: boolean;
}

function scanLine(line: string, open: string | undefined): ScannedLine {
  let quote = open;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at];
    if (quote === '"' && character === "\\") {
      if (line[at + 1] === "/") return { quote, hasEscapedSlash: true };
      at += 1;
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
    } else if (character === "#" && /^$|\s$/.test(line.slice(0, at))) break;
    // Inside of a plain scalar, a quote is a character like any other.
    else if ((character === '"' || character === "'") && /(^|[\s[{,:])$/.test(line.slice(0, at))) quote = character;
  }
  return { quote, hasEscapedSlash: false };
}
