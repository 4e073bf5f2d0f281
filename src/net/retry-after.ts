/** Parses a `Retry-After` header in seconds. Returns ms up to a maximum; `undefined` without the header and for a date. */
export function retryAfterMs(text: string | undefined, maxSeconds = 60): number | undefined {
  if (text === undefined || !/^\d{1,9}$/.test(text)) return undefined;
  return Math.min(Number(text), maxSeconds) * 1000;
}
