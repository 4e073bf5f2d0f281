/**
 * Prints rows below a head, in columns of equal width that are two spaces apart. The last column has no padding.
 *
 * Control characters are not replaced: `TextSink.write` makes them visible.
 */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, index) => Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const print = (row: readonly string[]) =>
    `${row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join("  ")}\n`;
  return [head, ...rows].map(print).join("");
}
