/**
 * Computes the edit distance: the number of insertions, deletions, replacements and exchanges of neighbors that turn one text into
 * the other. No part of a text is edited twice. Returns infinity if it exceeds `limit`.
 *
 * Source: Damerau-Levenshtein distance with optimal string alignment.
 */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY;
  let beforeLast: readonly number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const isExchanged = j > 0 && i > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const replaced = (last[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const exchanged = isExchanged ? (beforeLast[j - 1] ?? 0) + 1 : replaced;
      row.push(Math.min(replaced, exchanged, (last[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
    }
    [beforeLast, last] = [last, row];
    // An exchange continues from the row before the last one, and costs at least 1.
    if (Math.min(...row) > limit && Math.min(...beforeLast) >= limit) return Number.POSITIVE_INFINITY;
  }
  const distance = last.at(-1) ?? 0;
  return distance > limit ? Number.POSITIVE_INFINITY : distance;
}
