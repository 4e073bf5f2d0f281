const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "socks5:": 1080, "socks5h:": 1080 };

/** Host and port of a URL, as sockets want them: no brackets, and the scheme's port where none is written. */
export function addressOf({ hostname, port, protocol }: URL): {
  readonly host: string;
  readonly port: number;
} {
  return { host: withoutBrackets(hostname), port: Number(port) || (defaultPorts[protocol] ?? 443) };
}

/** An address of IPv6 without the brackets that it has in a URL; any other host as it is. */
export function withoutBrackets(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}

/** A URL as messages may show it: without user, password and trailing slash. */
export function printServer({ protocol, host, pathname }: URL): string {
  return withoutSlashesAtEnd(`${protocol}//${host}${pathname}`);
}

/** A path to which another one, that begins with a slash, can be added. */
export function withoutSlashesAtEnd(path: string): string {
  let end = path.length;
  while (path.charAt(end - 1) === "/") end -= 1;
  return path.slice(0, end);
}
