const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
  ["ms", 1],
] as const;

/** A time for people, its two largest units, e.g. `1 h 30 min`, `90 s` as `1 min 30 s`. Parts of a second only below one. */
export function printSpan(ms: number): string {
  const whole = ms < 1000 ? ms : Math.floor(ms / 1000) * 1000;
  const first = units.findIndex(([, length]) => whole >= length);
  if (first < 0) return "0 s";
  let rest = whole;
  const parts = units.slice(first, first + 2).map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? "" : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== "").join(" ");
}
