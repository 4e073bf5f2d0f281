import { parseDuration } from "../../../values/duration.ts";
import { parseInstant } from "../../../values/instant.ts";

/**
 * Returns the time from which lines of a log are printed (RFC 3339, whole seconds), from a duration before `nowMs`, e.g. `10min`, or
 * a time, e.g. `2026-01-31T12:00:00Z`; `undefined` for another text.
 */
export function parseLogStart(text: string, nowMs: number): string | undefined {
  const ms = parseInstant(text) ?? before(text, nowMs);
  return ms === undefined ? undefined : new Date(ms).toISOString().replace(/\.\d+/, "");
}

function before(text: string, nowMs: number): number | undefined {
  const duration = parseDuration(text, "s");
  return duration.ok && duration.value >= 0 && duration.value * 1000 <= nowMs
    ? nowMs - duration.value * 1000
    : undefined;
}
