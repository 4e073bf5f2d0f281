import type { Clock } from "../host/host.ts";
import type { Log } from "../host/log.ts";

const quietMs = 10_000;

/** The same log, but what was just said is not said again: calls at the same time fail alike. */
export function unrepeatedLog(log: Log, clock: Clock): Log {
  const saidAt = new Map<string, number>();
  return (level, logger, text) => {
    const now = clock.monotonic();
    if (now - (saidAt.get(text) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    saidAt.set(text, now);
    log(level, logger, text);
  };
}
