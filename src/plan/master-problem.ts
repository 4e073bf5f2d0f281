/** Why an address is none. */
export interface MasterProblem {
  /** In Java's words where it has some. */
  readonly reason: string;
  /** Spark finds out when it sends its first request; else at once. */
  readonly isLate: boolean;
}

const legal = "\\w\\-!.~'()*:@&=+$,;%";
/** The parts of what follows the authority, with the characters that each may hold. */
const parts = [
  { name: "path", pattern: /[^?#]*/y, illegal: new RegExp(`[^${legal}/]`) },
  { name: "query", pattern: /\?([^#]*)/y, illegal: new RegExp(`[^${legal}/?[\\]]`) },
  { name: "fragment", pattern: /#(.*)/y, illegal: new RegExp(`[^${legal}/?[\\]]`) },
];

/**
 * What is wrong with a URL that has `://` and is of `http` or `https`, or has no such scheme at all; `undefined` where it is an
 * address.
 *
 * Source: java.net.URI; recorded with Spark 4.3.0. Characters beyond ASCII count as illegal.
 */
export function masterProblem(url: string): MasterProblem | undefined {
  const reason = schemeProblem(url) ?? authorityProblem(url) ?? restProblem(url);
  if (reason !== undefined) return { reason, isLate: false };
  if (URL.canParse(url)) return undefined;
  const { host = "", port = "" } =
    /^[^:]*:\/\/(?:[^/?#@]*@)?(?<host>[^/?#]*?)(?::(?<port>[^/?#:]*))?(?:[/?#]|$)/.exec(url)?.groups ?? {};
  if (!/^\d*$/.test(port)) return { reason: "An error has occurred. This is no address", isLate: false };
  if (port !== "" && host === "") return { reason: "host name must not be empty", isLate: true };
  if (Number(port) > 65535) return { reason: "port p must be in range 0 <= p <= 65535", isLate: true };
  return { reason: "An error has occurred. This is no address", isLate: true };
}

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
    const begin = text.search(/[^?#]/);
    const wrong = begin < 0 ? -1 : text.slice(begin).search(illegal);
    const badEscape = text.search(/%(?![0-9A-Fa-f]{2})/);
    if (badEscape >= 0 && (wrong < 0 || badEscape < wrong + begin))
      return `Malformed escape pair at index ${at + badEscape}`;
    if (wrong >= 0) return `Illegal character in ${name} at index ${at + begin + wrong}`;
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
