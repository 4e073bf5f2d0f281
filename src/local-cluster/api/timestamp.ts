/** Prints a time as Kubernetes does: RFC 3339 in UTC, whole seconds, e.g. `2026-01-31T12:00:00Z`. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000);
  // Thousands of objects have the same second: reuse its text.
  if (second !== last.second) last = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return last.text;
}

let last = { second: Number.NaN, text: "" };

/** Prints a time with microseconds, as leases and events have it, e.g. `2026-01-31T12:00:00.123000Z`. */
export function microTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
