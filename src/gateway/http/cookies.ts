/** A cookie for all paths, which scripts cannot read and other sites cannot send with requests that change something. */
interface NewCookie {
  readonly name: string;
  /** Characters of Base64 for URLs. */
  readonly value: string;
  readonly maxAgeSeconds: number;
  readonly isSecure: boolean;
}

/** Returns the name of a cookie. With HTTPS, its prefix keeps other hosts of the domain from setting it (RFC 6265bis, 4.1.3.2). */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** Prints the header `Set-Cookie`. */
export function printCookie({ name, value, maxAgeSeconds, isSecure }: NewCookie): string {
  const attributes = [
    `Max-Age=${maxAgeSeconds}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    ...(isSecure ? ["Secure"] : []),
  ];
  return [`${name}=${value}`, ...attributes].join("; ");
}

/**
 * Returns the value of a cookie in the header `Cookie`; `undefined` without it. Two cookies of the name are none: a server on another
 * port of the host can add one, and the order does not show which.
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? "").split(";").flatMap((text) => {
    const equals = text.indexOf("=");
    return text.slice(0, equals).trim() === name ? [text.slice(equals + 1).trim()] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}
