/** Text in the format of `java.util.Properties`. */

/** Parsed properties, or Java's message `Malformed \uxxxx encoding.` */
type ParsedProperties =
  | { readonly ok: true; readonly entries: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly reason: string };

/**
 * Parses properties: `key=value`, `key: value`, `key value`. `#` and `!` start comments. A backslash at the end of a line
 * continues it. Later duplicates take precedence. Trailing whitespace of values is kept.
 *
 * Source: java.util.Properties.load; compared with Java 17.
 */
export function parseProperties(text: string): ParsedProperties {
  const entries = new Map<string, string>();
  for (const line of logicalLines(text)) {
    const separator = separatorOf(line);
    const key = withoutEscapes(line.slice(0, separator.keyEnd));
    const value = withoutEscapes(line.slice(separator.valueStart));
    if (key === undefined || value === undefined) return { ok: false, reason: "Malformed \\uxxxx encoding." };
    // A later duplicate replaces the earlier one, including its position.
    entries.delete(key);
    entries.set(key, value);
  }
  return { ok: true, entries };
}

/** Joins continued lines. Drops comments, empty lines and leading whitespace. */
function logicalLines(text: string): readonly string[] {
  const lines: string[] = [];
  let pending: string[] = [];
  let isContinued = false;
  for (const natural of text.replace(/(?:\r\n|\r|\n)$/, "").split(/\r\n|\r|\n/)) {
    const line = natural.replace(/^[ \t\f]+/, "");
    // A line with only a backslash has nothing to continue, so a comment may follow.
    if (pending.length === 0 && (line === "" || line.startsWith("#") || line.startsWith("!"))) {
      isContinued = false;
      continue;
    }
    isContinued = endsWithSingleBackslash(line);
    const part = isContinued ? line.slice(0, -1) : line;
    if (part !== "") pending.push(part);
    if (isContinued) continue;
    lines.push(pending.join(""));
    pending = [];
  }
  // After a lone backslash, Java reads an empty key at CR or LF, but nothing at CR LF.
  if (isContinued && !(pending.length === 0 && text.endsWith("\r\n"))) lines.push(pending.join(""));
  return lines;
}

/** Returns whether the last backslash is not escaped itself. A loop, because a regular expression takes quadratic time. */
function endsWithSingleBackslash(line: string): boolean {
  let start = line.length;
  while (start > 0 && line.charAt(start - 1) === "\\") start -= 1;
  return (line.length - start) % 2 === 1;
}

/** Finds the end of the key: the first space, tab, form feed, `=` or `:` without a backslash before it. */
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
    (_match, hex: string | undefined, character: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      isMalformed ||= character === "u";
      return escapes[character] ?? character;
    },
  );
  return isMalformed ? undefined : plain;
}

/** Comments and settings of a properties file. */
interface PropertiesText {
  /** Comment lines without `#`. */
  readonly comments: readonly string[];
  readonly entries: ReadonlyMap<string, string>;
}

/**
 * Prints properties sorted by key, one per line. Non-ASCII characters are not escaped.
 *
 * Source: the driver's ConfigMap of Spark.
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
