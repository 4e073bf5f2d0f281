const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
  ["ms", 1],
] as const;

/** Prints a duration in its two largest units, e.g. `1 h 30 min` and `1 min 30 s`. Milliseconds occur only below 1 s. */
export function printSpan(ms: number): string {
  const rounded = ms < 1000 ? ms : Math.floor(ms / 1000) * 1000;
  const first = units.findIndex(([, length]) => rounded >= length);
  if (first < 0) return "0 s";
  let rest = rounded;
  const parts = units.slice(first, first + 2).map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? "" : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== "").join(" ");
}
