/**
 * Ms since 1970 at which a token ends by its own word; `undefined` when it is no JSON Web Token, or has no end.
 *
 * Source: RFC 7519, 4.1.4 (`exp`). The signature is the server's business.
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
