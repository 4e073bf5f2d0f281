const maxDelaySeconds = 60;

/** Parses a `Retry-After` header in seconds. Returns ms, at most 60,000; `undefined` without the header and for a date. */
export function retryAfterMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,6}$/.test(text)) return undefined;
  return Math.min(Number(text), maxDelaySeconds) * 1000;
}
