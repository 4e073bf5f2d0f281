import type { Clock } from "../host/host.ts";
import type { Log } from "../host/log.ts";

const quietMs = 10_000;
const maxTexts = 1000;

/** Suppresses a text that was logged in the last 10 s: concurrent calls fail with the same message. */
export function unrepeatedLog(log: Log, clock: Clock): Log {
  const loggedAt = new Map<string, number>();
  return (level, logger, text) => {
    const now = clock.monotonic();
    if (now - (loggedAt.get(text) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    // A server can run for months, and each message be another.
    if (loggedAt.size >= maxTexts) loggedAt.clear();
    loggedAt.set(text, now);
    log(level, logger, text);
  };
}
