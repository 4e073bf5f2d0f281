/** Text in the grammar of `java.util.Properties`. */

/** What stops reading: `Malformed \uxxxx encoding.`, Java's words. */
export type ParsedProperties =
  | { readonly ok: true; readonly entries: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads properties: `key=value`, `key: value`, `key value`; `#` and `!` begin comments; a backslash at the end of a line
 * continues it; later duplicates win. Values are not trimmed at their end.
 *
 * Source: java.util.Properties.load; tried against Java 17.
 */
export function parseProperties(text: string): ParsedProperties {
  const entries = new Map<string, string>();
  for (const line of logicalLines(text)) {
    const separator = separatorOf(line);
    const key = withoutEscapes(line.slice(0, separator.keyEnd));
    const value = withoutEscapes(line.slice(separator.valueStart));
    if (key === undefined || value === undefined) return { ok: false, reason: "Malformed \\uxxxx encoding." };
    // A later duplicate keeps nothing of the earlier one, not even its place.
    entries.delete(key);
    entries.set(key, value);
  }
  return { ok: true, entries };
}

/** Joins continued lines; drops comments, empty lines and blanks at the beginning of each line. */
function logicalLines(text: string): readonly string[] {
  const lines: string[] = [];
  let pending: string | undefined;
  for (const natural of text.replace(/(?:\r\n|\r|\n)$/, "").split(/\r\n|\r|\n/)) {
    const line = natural.replace(/^[ \t\f]+/, "");
    // After a lone backslash there is nothing to continue, so a comment may follow.
    if (!pending && (line === "" || line.startsWith("#") || line.startsWith("!"))) {
      pending = undefined;
      continue;
    }
    const whole: string = (pending ?? "") + line;
    const backslashes = /\\*$/.exec(whole)?.[0].length ?? 0;
    if (backslashes % 2 === 1) {
      pending = whole.slice(0, -1);
    } else {
      lines.push(whole);
      pending = undefined;
    }
  }
  // Java finds nothing after a lone backslash and CR LF, but an empty key after CR or LF.
  if (pending !== undefined && !(pending === "" && text.endsWith("\r\n"))) lines.push(pending);
  return lines;
}

/** The key ends at the first blank, `=` or `:` without a backslash before it. */
function separatorOf(line: string): { readonly keyEnd: number; readonly valueStart: number } {
  const keyEnd = /^(?:\\[\s\S]|[^\\=: \t\f])*/.exec(line)?.[0].length ?? 0;
  const gap = /^[ \t\f]*(?:[=:][ \t\f]*)?/.exec(line.slice(keyEnd))?.[0].length ?? 0;
  return { keyEnd, valueStart: keyEnd + gap };
}

const escapes: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", f: "\f" };

function withoutEscapes(text: string): string | undefined {
  let isMalformed = false;
  const plain = text.replace(
    /\\(?:u([0-9A-Fa-f]{4})|([\s\S]))/g,
    (_whole, hex: string | undefined, character: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      isMalformed ||= character === "u";
      return escapes[character] ?? character;
    },
  );
  return isMalformed ? undefined : plain;
}

/** The comment lines and settings of a properties file. */
export interface PropertiesText {
  /** Without `#`. */
  readonly comments: readonly string[];
  readonly entries: ReadonlyMap<string, string>;
}

/**
 * Writes properties sorted by key, one a line, letters beyond ASCII as they are.
 *
 * Source: what Spark puts into the driver's ConfigMap.
 */
export function printProperties({ comments, entries }: PropertiesText): string {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return [
    ...comments.map((comment) => `#${comment}\n`),
    ...sorted.map(([key, value]) => `${escapeKey(key)}=${escapeValue(value)}\n`),
  ].join("");
}

function escapeKey(key: string): string {
  return withEscapes(key).replaceAll(" ", "\\ ");
}

function escapeValue(value: string): string {
  return `${value.startsWith(" ") ? "\\" : ""}${withEscapes(value)}`;
}

function withEscapes(text: string): string {
  const letters: Readonly<Record<string, string>> = { "\t": "t", "\n": "n", "\r": "r", "\f": "f" };
  return text.replace(/[\\\t\n\r\f=:#!]/g, (character) => `\\${letters[character] ?? character}`);
}
