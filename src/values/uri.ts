/** A text that `java.net.URI` accepts, in the parts that Spark looks at. */
export interface Uri {
  readonly scheme: string | undefined;
  /** The decoded path; `undefined` where the URI is opaque, e.g. `mailto:a`. */
  readonly path: string | undefined;
  /** Decoded. */
  readonly fragment: string | undefined;
}

const unreserved = "A-Za-z0-9_\\-!.~'()*";
/** What Java calls "other": beyond ASCII, no blanks and no control characters. */
const other =
  "(?![\\u0080-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000])[^\\u0000-\\u007f]";

function charactersOf(more: string): RegExp {
  return new RegExp(`^(?:[${unreserved}${more}]|%[0-9A-Fa-f]{2}|${other})*$`, "u");
}

const pathText = charactersOf(":@&=+$,;/");
const asciiPathText = new RegExp(`^[${unreserved}:@&=+$,;/]*$`);
const asciiUricText = new RegExp(`^[${unreserved}:@&=+$,;/?]*$`);
const uricText = charactersOf(";/?:@&=+$,\\[\\]");
const authorityText = charactersOf("$,;:@&=+");
const ipv6Authority = /^(?:[^@[\]]*@)?\[[0-9A-Fa-f:.]+(?:%[\w.~-]+)?\](?::\d*)?$/;

/**
 * Splits a text as `new java.net.URI(text)` does; `undefined` where that refuses it, e.g. for blanks, `[` and `\`.
 *
 * Source: RFC 2396 with Java's deviations; tried against Java 17.
 */
export function parseUri(text: string): Uri | undefined {
  const hash = text.indexOf("#");
  const fragment = hash < 0 ? undefined : text.slice(hash + 1);
  const beforeHash = hash < 0 ? text : text.slice(0, hash);
  const scheme = /^([^/?:]*):/.exec(beforeHash)?.[1];
  const body = scheme === undefined ? beforeHash : beforeHash.slice(scheme.length + 1);
  if (scheme !== undefined && !/^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme)) return undefined;
  if (fragment !== undefined && !uricText.test(fragment)) return undefined;
  const decodedFragment = fragment === undefined ? undefined : decode(fragment);
  if (scheme !== undefined && !body.startsWith("/")) {
    return body !== "" && uricText.test(body)
      ? { scheme, path: undefined, fragment: decodedFragment }
      : undefined;
  }
  // `//` alone names no authority; Java lets that pass where something follows.
  if (body === "//" && fragment === undefined) return undefined;
  const [, authority = "", path = "", query = ""] =
    /^(?:\/\/([^/?]*))?([^?]*)(?:\?([\s\S]*))?$/.exec(body) ?? [];
  const isLegal =
    (authorityText.test(authority) || ipv6Authority.test(authority)) &&
    pathText.test(path) &&
    uricText.test(query);
  return isLegal ? { scheme, path: decode(path), fragment: decodedFragment } : undefined;
}

/** The URI of an absolute path, as `java.io.File.toURI` prints it: `file:/a%20b`, letters beyond ASCII as they are. */
export function printFileUri(absolutePath: string): string {
  return `file:${escapeText(absolutePath, pathText)}`;
}

/** A fragment as `new java.net.URI(scheme, path, fragment)` prints it, without `#`. */
export function escapeFragment(fragment: string): string {
  return escapeText(fragment, uricText);
}

/** A URI without fragment, decoded and escaped anew. */
export interface RecomposedUri {
  readonly text: string;
  /** Up to a query, decoded. */
  readonly path: string;
  /** Where the text has a character that no path may hold. */
  readonly illegalIndex: number | undefined;
}

/**
 * What Spark makes of a URI before it looks for files: an escaped `?` begins a query now, and an escaped `[` is illegal.
 *
 * Source: `new java.net.URI(scheme, part, null)` in Spark DependencyUtils.splitOnFragment.
 */
export function recomposeUri(uri: string): RecomposedUri {
  const [, scheme = "", part = ""] = /^([^:]*:)([^#]*)/.exec(uri) ?? [];
  const text = `${scheme}${escapeText(decode(part), uricText)}`;
  const [, path = ""] = /^[^:]*:(?:\/\/[^/?]*)?([^?]*)/.exec(text) ?? [];
  const bracket = path.search(/[[\]]/);
  const illegalIndex = bracket < 0 ? undefined : text.indexOf(path) + bracket;
  return { text, path: decode(path), illegalIndex };
}

/**
 * A URI with another fragment, escaped where it must be; an authority without a name goes, as in `file:/a#b`.
 *
 * Source: `jakarta.ws.rs.core.UriBuilder`, with which Spark's BasicDriverFeatureStep names uploaded archives.
 */
export function withFragment(uri: string, fragment: string | undefined): string {
  const [, scheme = "", authority = "", path = "", query = ""] =
    /^([A-Za-z][A-Za-z0-9+.-]*:)?(\/\/[^/?#]*)?([^?#]*)([^#]*)/.exec(uri) ?? [];
  const end = fragment === undefined ? "" : `#${escapeKept(fragment, asciiUricText)}`;
  return `${scheme}${authority === "//" ? "" : authority}${escapeKept(path, asciiPathText)}${query}${end}`;
}

/** Leaves escapes as they are. */
function escapeKept(text: string, legal: RegExp): string {
  return text.replace(/%[0-9A-Fa-f]{2}|[^%]+|%/gu, (part) =>
    part.length === 3 && part.startsWith("%") ? part : part === "%" ? "%25" : escapeText(part, legal),
  );
}

function escapeText(text: string, legal: RegExp): string {
  return Array.from(text, (character) => (legal.test(character) ? character : percent(character))).join("");
}

function percent(character: string): string {
  const bytes = new TextEncoder().encode(character);
  return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

function decode(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
    const bytes = escapes
      .slice(1)
      .split("%")
      .map((hex) => Number.parseInt(hex, 16));
    return new TextDecoder().decode(Uint8Array.from(bytes));
  });
}
