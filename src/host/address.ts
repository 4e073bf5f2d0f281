const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "socks5:": 1080, "socks5h:": 1080 };

/** Returns host and port of a URL for a socket: without brackets, with the scheme's default port. */
export function addressOf({ hostname, port, protocol }: URL): {
  readonly host: string;
  readonly port: number;
} {
  return { host: withoutBrackets(hostname), port: Number(port) || (defaultPorts[protocol] ?? 443) };
}

/** Removes the brackets that an IPv6 address has in a URL. */
export function withoutBrackets(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}

/** Prints a URL for messages: without user, password and trailing slash. */
export function printServer({ protocol, host, pathname }: URL): string {
  return withoutSlashesAtEnd(`${protocol}//${host}${pathname}`);
}

/** Removes slashes at the end, so that a path with a leading slash can be appended. */
export function withoutSlashesAtEnd(path: string): string {
  let end = path.length;
  while (path.charAt(end - 1) === "/") end -= 1;
  return path.slice(0, end);
}
