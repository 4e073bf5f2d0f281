import { digits, isMadeOf, letters } from "./characters.ts";

/** Parts of a URI that `java.net.URI` accepts, as far as Spark reads them. */
interface Uri {
  readonly scheme: string | undefined;
  /** Decoded path; `undefined` if the URI is opaque, e.g. `mailto:a`. */
  readonly path: string | undefined;
  /** Decoded fragment. */
  readonly fragment: string | undefined;
}

const unreserved = `${letters}${digits}_-!.~'()*`;
/** Java's category "other": non-ASCII characters except whitespace and control characters. */
const other = "(?![\\u0080-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000])[^\\u0000-\\u007f]";

/** Whether a text consists of plain characters, escapes and non-ASCII characters. */
function isLegal(text: string, marks: string): boolean {
  const plain = unreserved + marks;
  if (isMadeOf(text, plain)) return true;
  const pattern = legalPatterns.get(marks) ?? legalPattern(plain);
  legalPatterns.set(marks, pattern);
  return pattern.test(text);
}

/** Patterns of legal texts by their marks. Compiling one takes longer than most texts. */
const legalPatterns = new Map<string, RegExp>();

function legalPattern(plain: string): RegExp {
  const escaped = plain.replaceAll(/[-[\]]/g, "\\$&");
  return new RegExp(`^(?:[${escaped}]|%[0-9A-Fa-f]{2}|${other})*$`, "u");
}

/** Characters that a part of a URI can contain besides letters, digits and marks. */
const pathMarks = ":@&=+$,;/";
const uricMarks = ";/?:@&=+$,[]";
const authorityMarks = "$,;:@&=+";
const ipv6Authority = /^(?:[^@[\]]*@)?\[[0-9A-Fa-f:.]+(?:%[\w.~-]+)?\](?::\d*)?$/;

/**
 * Parses a text as `new java.net.URI(text)` does. Returns `undefined` if Java rejects it, e.g. for spaces, `[` and `\`.
 *
 * Source: RFC 2396 with Java's deviations; compared with Java 17.
 */
export function parseUri(text: string): Uri | undefined {
  const hash = text.indexOf("#");
  const fragment = hash < 0 ? undefined : text.slice(hash + 1);
  const beforeHash = hash < 0 ? text : text.slice(0, hash);
  const scheme = schemeOf(beforeHash);
  const body = scheme === undefined ? beforeHash : beforeHash.slice(scheme.length + 1);
  if (scheme !== undefined && !isScheme(scheme)) return undefined;
  if (fragment !== undefined && !isLegal(fragment, uricMarks)) return undefined;
  const decodedFragment = fragment === undefined ? undefined : decode(fragment);
  if (scheme !== undefined && !body.startsWith("/")) {
    return body !== "" && isLegal(body, uricMarks) ? { scheme, path: undefined, fragment: decodedFragment } : undefined;
  }
  // `//` alone has no authority. Java accepts this only if something follows.
  if (body === "//" && fragment === undefined) return undefined;
  const question = body.indexOf("?");
  const [beforeQuery, query] = question < 0 ? [body, ""] : [body.slice(0, question), body.slice(question + 1)];
  const slash = beforeQuery.startsWith("//") ? beforeQuery.indexOf("/", 2) : 0;
  const pathStart = slash < 0 ? beforeQuery.length : slash;
  const [authority, path] = [beforeQuery.slice(2, pathStart), beforeQuery.slice(pathStart)];
  const isValid =
    (isLegal(authority, authorityMarks) || ipv6Authority.test(authority)) &&
    isLegal(path, pathMarks) &&
    isLegal(query, uricMarks);
  return isValid ? { scheme, path: decode(path), fragment: decodedFragment } : undefined;
}

/** Returns the text before a colon that precedes any slash and question mark. */
function schemeOf(text: string): string | undefined {
  const colon = text.indexOf(":");
  const before = text.slice(0, Math.max(colon, 0));
  return colon < 0 || before.includes("/") || before.includes("?") ? undefined : before;
}

function isScheme(text: string): boolean {
  return text !== "" && letters.includes(text.charAt(0)) && isMadeOf(text, `${letters}${digits}+.-`);
}

/** Prints the URI of an absolute path, as `java.io.File.toURI` does: `file:/a%20b`, with non-ASCII characters unescaped. */
export function printFileUri(absolutePath: string): string {
  return `file:${escapeText(absolutePath, (part) => isLegal(part, pathMarks))}`;
}

/** Escapes a fragment as `new java.net.URI(scheme, path, fragment)` does, without `#`. */
export function escapeFragment(fragment: string): string {
  return escapeText(fragment, (part) => isLegal(part, uricMarks));
}

/** URI without fragment, decoded and escaped again. */
interface RecomposedUri {
  readonly text: string;
  /** Decoded path, up to a query. */
  readonly path: string;
  /** Index of a character in the text that is invalid in a path. */
  readonly illegalIndex: number | undefined;
}

/**
 * Converts a URI as Spark does before it searches for files: an escaped `?` starts a query, and an escaped `[` is illegal.
 *
 * Source: `new java.net.URI(scheme, part, null)` in Spark DependencyUtils.splitOnFragment.
 */
export function recomposeUri(uri: string): RecomposedUri {
  const [, scheme = "", part = ""] = /^([^:]*:)([^#]*)/.exec(uri) ?? [];
  const text = `${scheme}${escapeText(decode(part), (text) => isLegal(text, uricMarks))}`;
  const [, path = ""] = /^[^:]*:(?:\/\/[^/?]*)?([^?]*)/.exec(text) ?? [];
  const bracket = path.search(/[[\]]/);
  const illegalIndex = bracket < 0 ? undefined : text.indexOf(path) + bracket;
  return { text, path: decode(path), illegalIndex };
}

/**
 * Replaces the fragment of a URI, with the necessary escapes. An empty authority is removed, as in `file:/a#b`.
 *
 * Source: `jakarta.ws.rs.core.UriBuilder`, with which Spark's BasicDriverFeatureStep names uploaded archives.
 */
export function withFragment(uri: string, fragment: string | undefined): string {
  const [, scheme = "", authority = "", path = "", query = ""] =
    /^([A-Za-z][A-Za-z0-9+.-]*:)?(\/\/[^/?#]*)?([^?#]*)([^#]*)/.exec(uri) ?? [];
  const end = fragment === undefined ? "" : `#${escapeKept(fragment, `${pathMarks}?`)}`;
  return `${scheme}${authority === "//" ? "" : authority}${escapeKept(path, pathMarks)}${query}${end}`;
}

/** Escapes a text but keeps existing escapes. */
function escapeKept(text: string, marks: string): string {
  return text.replace(/%[0-9A-Fa-f]{2}|[^%]+|%/gu, (part) =>
    part.length === 3 && part.startsWith("%")
      ? part
      : part === "%"
        ? "%25"
        : escapeText(part, (character) => isMadeOf(character, unreserved + marks)),
  );
}

function escapeText(text: string, isKept: (character: string) => boolean): string {
  return Array.from(text, (character) => (isKept(character) ? character : percent(character))).join("");
}

const utf8 = new TextEncoder();

function percent(character: string): string {
  const bytes = utf8.encode(character);
  return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

function decode(text: string): string {
  if (!text.includes("%")) return text;
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
    const bytes = escapes
      .slice(1)
      .split("%")
      .map((hex) => Number.parseInt(hex, 16));
    return new TextDecoder().decode(Uint8Array.from(bytes));
  });
}
