/** Reason why a text is not a valid address. */
interface MasterProblem {
  /** Java's message, if Java reports the problem. */
  readonly reason: string;
  /** Whether Spark reports the problem only when it sends its first request. */
  readonly isLate: boolean;
}

const legal = "\\w\\-!.~'()*:@&=+$,;%";
/** Parts of a URL after the authority, with the characters that each part cannot contain. */
const parts = [
  { name: "path", pattern: /[^?#]*/y, illegal: new RegExp(`[^${legal}/]`) },
  { name: "query", pattern: /\?([^#]*)/y, illegal: new RegExp(`[^${legal}/?[\\]]`) },
  { name: "fragment", pattern: /#(.*)/y, illegal: new RegExp(`[^${legal}/?[\\]]`) },
];

/**
 * Finds the problem of a URL that contains `://` and has the scheme `http` or `https`, or no valid scheme. Returns `undefined`
 * for a valid address.
 *
 * Source: java.net.URI; recorded with Spark 4.3.0. Characters beyond ASCII count as illegal.
 */
export function masterProblem(url: string): MasterProblem | undefined {
  const reason = schemeProblem(url) ?? authorityProblem(url) ?? restProblem(url);
  if (reason !== undefined) return { reason, isLate: false };
  if (URL.canParse(url)) return undefined;
  const { host = "", port = "" } =
    /^[^:]*:\/\/(?:[^/?#@]*@)?(?<host>[^/?#]*?)(?::(?<port>[^/?#:]*))?(?:[/?#]|$)/.exec(url)?.groups ?? {};
  if (!/^\d*$/.test(port)) return { reason: invalidAddress, isLate: false };
  if (port !== "" && host === "") return { reason: "host name must not be empty", isLate: true };
  if (Number(port) > 65535) return { reason: "port p must be in range 0 <= p <= 65535", isLate: true };
  return { reason: invalidAddress, isLate: true };
}

const invalidAddress = "An error has occurred. This is not a valid address";

function schemeProblem(url: string): string | undefined {
  const scheme = url.slice(0, url.indexOf("://"));
  if (scheme === "") return "Expected scheme name at index 0";
  const rest = /^[A-Za-z][A-Za-z0-9+.-]*/.exec(scheme)?.[0].length ?? 0;
  return rest < scheme.length ? `Illegal character in scheme name at index ${rest}` : undefined;
}

function authorityProblem(url: string): string | undefined {
  const start = startOfAuthority(url);
  const authority = authorityOf(url);
  if (start === url.length) return `Expected authority at index ${start}`;
  if (/^\[[^\]]*$/.test(authority)) return `Expected closing bracket for IPv6 address at index ${url.length}`;
  return /[\s"<>\\^`{|}]/.test(authority) ? `Illegal character in authority at index ${start}` : undefined;
}

function restProblem(url: string): string | undefined {
  let at = startOfAuthority(url) + authorityOf(url).length;
  for (const { name, pattern, illegal } of parts) {
    pattern.lastIndex = at;
    const text = pattern.exec(url)?.[0] ?? "";
    const start = text.search(/[^?#]/);
    const wrong = start < 0 ? -1 : text.slice(start).search(illegal);
    const badEscape = text.search(/%(?![0-9A-Fa-f]{2})/);
    if (badEscape >= 0 && (wrong < 0 || badEscape < wrong + start))
      return `Malformed escape pair at index ${at + badEscape}`;
    if (wrong >= 0) return `Illegal character in ${name} at index ${at + start + wrong}`;
    at += text.length;
  }
  return undefined;
}

function startOfAuthority(url: string): number {
  return url.indexOf("//") + 2;
}

function authorityOf(url: string): string {
  return /^[^/?#]*/.exec(url.slice(startOfAuthority(url)))?.[0] ?? "";
}
