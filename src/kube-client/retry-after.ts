/**
 * Ms to wait by the header Retry-After, in either of its forms: seconds (`5`) or a date; `undefined` for anything else.
 *
 * Source: RFC 9110, 10.2.3.
 */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // Date.parse takes much else for a date, 5.5 for one.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
