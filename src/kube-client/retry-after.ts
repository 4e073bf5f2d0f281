/**
 * Parses a `Retry-After` header, in seconds (`5`) or as a date, to ms from now. Returns `undefined` for other text.
 *
 * Source: RFC 9110, 10.2.3.
 */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // Date.parse also accepts other text, such as 5.5.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
