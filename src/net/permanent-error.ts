/** Returns whether an error is permanent: waiting fixes neither certificates nor what a proxy allows. */
export function isPermanent(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /CERT|SELF_SIGNED|ISSUER|ALTNAME|ERR_TLS|EPROTO|ERR_SSL|ERR_INVALID|^EPROXY$/.test(code);
}

const maxWaitSeconds = 60;

/** Ms of a header Retry-After in seconds; a date is left to our own waits. */
export function retryAfterMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,6}$/.test(text)) return undefined;
  return Math.min(Number(text), maxWaitSeconds) * 1000;
}
