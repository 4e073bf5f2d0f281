/** Whether a `WWW-Authenticate` header offers SPNEGO. Source: RFC 4559. */
export function offersNegotiate(header: unknown): boolean {
  return /(?:^|,)\s*negotiate\b/i.test(String(header ?? ""));
}

/** Returns the token (Base64) in a `WWW-Authenticate` header with which a server proves its identity. */
export function negotiateTokenIn(header: unknown): string | undefined {
  return /(?:^|,)\s*negotiate ([A-Za-z0-9+/=]+)/i.exec(String(header ?? ""))?.[1];
}
