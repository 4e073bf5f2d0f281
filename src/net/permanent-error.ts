/** Returns whether a network error is permanent: waiting fixes neither certificates nor the permissions of a proxy. */
export function isPermanent(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /CERT|SELF_SIGNED|ISSUER|ALTNAME|ERR_TLS|EPROTO|ERR_SSL|ERR_INVALID|^EPROXY$/.test(code);
}
