/** Whether a `WWW-Authenticate` header offers SPNEGO. Source: RFC 4559. */
export function offersNegotiate(header: unknown): boolean {
  return /(?:^|,)\s*negotiate\b/i.test(String(header ?? ""));
}
