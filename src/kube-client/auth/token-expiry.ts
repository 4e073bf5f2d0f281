/**
 * Parses the expiry of a JSON Web Token, in ms since 1970. Returns `undefined` if the token is not one, or has no expiry.
 *
 * Source: RFC 7519, 4.1.4 (`exp`). Only the server checks the signature.
 */
export function tokenExpiry(token: string): number | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    if (typeof claims !== "object" || claims === null || !("exp" in claims)) return undefined;
    const seconds = Number(claims.exp);
    return Number.isFinite(seconds) ? seconds * 1000 : undefined;
  } catch {
    return undefined;
  }
}
