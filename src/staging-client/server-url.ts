/** Builds the URL of a route. The server may have a path: `https://host/staging/` and `/api/v1/info`. */
export function routeOf(server: string, route: string): URL {
  const base = new URL(server);
  return new URL(`${base.origin}${base.pathname.replace(/\/+$/, "")}${route}`);
}

/** Prints a URL without user, password and query, any of which may be a secret. */
export function printPlainUrl(url: URL | string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return "an address that is not a URL";
  }
}
