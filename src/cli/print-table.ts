/**
 * Prints rows below a head, in columns of equal width that are two spaces apart. The last column has no padding.
 *
 * Control characters are not replaced: `TextSink.write` makes them visible.
 */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map(({ length }) => length);
  for (const row of rows)
    for (let index = 0; index < widths.length; index += 1)
      widths[index] = Math.max(widths[index] ?? 0, row[index]?.length ?? 0);
  const print = (row: readonly string[]) =>
    `${row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join("  ")}\n`;
  return [head, ...rows].map(print).join("");
}
