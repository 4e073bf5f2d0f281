/**
 * Replaces characters that control a terminal or change the order of text by escapes such as `\u001b`, which JSON reads as
 * the same character. Keeps line ends and tabs.
 *
 * The replaced characters are C0 and C1 controls, DEL, line and paragraph separators, and the marks, embeddings, overrides
 * and isolates of bidirectional text.
 * Source: kubectl, TerminalEscapeWriter (ESC and CR; kubernetes issue 101695); Unicode 17, UAX 9, table 4; CVE-2021-42574.
 */
export function visibleText(text: string): string {
  // A long text is worth a regular expression.
  return text.length > 2000 && !/[^\n -~]/.test(text) ? text : withEscapes(text, isInvisible);
}

/** Replaces line ends and tabs, too, so that the text stays in its line, or in its cell of a table. */
export function visibleLine(text: string): string {
  return withEscapes(text, (code) => code < 0x20 || isInvisible(code));
}

/**
 * Indents all lines but the first by two tabs. Firesteel and Spark indent their own lines by less, so that text of others cannot imitate
 * one.
 */
export function indentedLines(text: string): string {
  return text.includes("\n") ? text.replaceAll("\n", "\n\t\t") : text;
}

/** Escapes in a loop: compiling a regular expression for the first output takes longer. */
function withEscapes(text: string, isEscaped: (code: number) => boolean): string {
  let shown = "";
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if ((code >= 0x20 && code < 0x7f) || !isEscaped(code)) continue;
    shown += `${text.slice(from, at)}\\u${code.toString(16).padStart(4, "0")}`;
    from = at + 1;
  }
  return shown + text.slice(from);
}

function isInvisible(code: number): boolean {
  if (code < 0x20) return code !== 0x09 && code !== 0x0a;
  if (code < 0x200e) return (code >= 0x7f && code < 0xa0) || code === 0x061c;
  return code <= 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}
