/**
 * Decodes the percent-encoded characters of a part of a URL, such as a password. Other percent signs remain: `p%40%zz` becomes `p@%zz`.
 *
 * Source: WHATWG URL Standard, "percent-decode"; curl does the same.
 */
export function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString());
}
