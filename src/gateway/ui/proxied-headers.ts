import type { IncomingHttpHeaders } from "node:http";

/** Headers that reach the driver. Credentials of the client do not: the driver runs code of others. */
const requestNames = ["accept", "accept-encoding", "accept-language", "if-modified-since", "if-none-match"] as const;
/** Headers that reach the client. A driver sets no cookies for the gateway. */
const responseNames = [
  ...(["cache-control", "content-disposition", "content-encoding", "content-length", "content-type"] as const),
  ...(["etag", "expires", "last-modified", "vary"] as const),
] as const;

/** Spark's pages have scripts and styles in their text, and contact their own server only. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/**
 * Returns the headers of a request to a driver.
 *
 * @param base path that the links in Spark's pages begin with, if spark.ui.proxyBase does not set another
 */
export function driverHeaders(headers: IncomingHttpHeaders, base: string): Readonly<Record<string, string>> {
  // Source: Spark, UIUtils.uiRoot.
  return { host: "driver", ...selected(headers, requestNames), "x-forwarded-context": base };
}

/** Returns the headers of a response to a client. */
export function clientHeaders(headers: IncomingHttpHeaders, base: string): Readonly<Record<string, string>> {
  const { location } = headers;
  return {
    ...selected(headers, responseNames),
    ...(location !== undefined && { location: rebasedLocation(location, base) }),
    "content-security-policy": contentSecurityPolicy,
  };
}

/** Returns the path of a redirect below the base. A driver cannot redirect to another server. */
export function rebasedLocation(location: string, base: string): string {
  // Browsers read a backslash as a slash.
  const slashed = location.replaceAll("\\", "/");
  const path = slashed.replace(/^[A-Za-z][A-Za-z0-9+.-]*:/, "").replace(/^\/{2,}[^/?#]*/, "");
  if (!path.startsWith("/")) return path === "" ? `${base}/` : path;
  return path === base || path.startsWith(`${base}/`) ? path : `${base}${path}`;
}

function selected(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}
