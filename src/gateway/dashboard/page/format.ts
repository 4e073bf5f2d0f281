/** Prints a duration: `4 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? joined(hours, "h", minutes % 60, "min") : joined(Math.floor(hours / 24), "d", hours % 24, "h");
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** Prints a size: `512 MiB`, `1.5 GiB`. */
export function formatMemory(mib: number): string {
  if (mib < 1024) return `${Math.round(mib)} MiB`;
  const gib = mib / 1024;
  return gib < 1024 ? `${oneDigit(gib)} GiB` : `${oneDigit(gib / 1024)} TiB`;
}

/** Prints a number with at most one digit after the point. */
export function oneDigit(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Returns "1 executor" or "2 executors". */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
